/** Servers of the ways: on loopback, stopped in the end with the sockets that are still open. */

import { once } from 'node:events';

/** Starts a server; `t.after` receives what stops it. Returns its address. */
export async function serve(t, server) {
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

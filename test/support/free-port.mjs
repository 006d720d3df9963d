/** Ports of the loopback interface. */

import { createServer } from 'node:net';

/**
 * Lets a server listen on a free port.
 *
 * @param {import('node:net').Server} server - of HTTP, TLS or TCP
 * @returns {Promise<number>} the port
 */
export async function listenOnFreePort(server) {
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject);
      resolve(undefined);
    });
  });
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}

/**
 * A port that was free a moment ago, and that the system takes for no outgoing connection meanwhile: those
 * get ports from 32768 on.
 *
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await isFree(port)) return port;
  }
}

/** @param {number} port */
function isFree(port) {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

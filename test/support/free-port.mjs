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

/** @returns {Promise<number>} a port that was free a moment ago */
export async function freePort() {
  const server = createServer();
  const port = await listenOnFreePort(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

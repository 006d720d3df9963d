/** Ports of the loopback interface. */

import { createServer } from 'node:net';
import { threadId } from 'node:worker_threads';

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

const portsOfAProcess = 500;

/** Below those that the system gives to outgoing connections, and apart from those of other test processes. */
const firstPort = 20_000 + ((process.pid + threadId) % 24) * portsOfAProcess;
let taken = Math.floor(Math.random() * portsOfAProcess);

/**
 * A port that was free a moment ago, and that neither the system nor another test takes meanwhile.
 *
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    taken += 1;
    const port = firstPort + (taken % portsOfAProcess);
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

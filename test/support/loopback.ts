/** Servers on the loopback interface that end with the test that started them. */

import { createServer, Server as HttpServer, type RequestListener } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import { connect, type Server } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenOnFreePort } from './free-port.mjs';

/** Serves HTTP until the test is finished; gives the address. */
export function serve(listener: RequestListener): Promise<string> {
  return listen(createServer(listener));
}

/** Lets an HTTP server listen until the test is finished; gives the address. */
export async function listen(server: HttpServer): Promise<string> {
  return `http://127.0.0.1:${await listenOnPort(server)}`;
}

/**
 * Lets a server listen until the test is finished; gives the port. The test ends the sockets of a
 * server that is not one of HTTP.
 */
export async function listenOnPort(server: Server): Promise<number> {
  const port = await listenOnFreePort(server);
  onTestFinished(async () => {
    if (server instanceof HttpServer || server instanceof HttpsServer) server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  });
  return port;
}

/** Sends bytes as they are and gives what comes back until the server closes or `until` matches. */
export function exchange(url: string, bytes: string, until: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
    let received = '';
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      received += text;
      if (until.test(received)) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

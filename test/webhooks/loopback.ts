/** Servers on the loopback interface that end with the test that started them. */

import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Serves until the test is finished; gives the address. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  return listen(server);
}

/** Lets a server listen until the test is finished; gives the address. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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

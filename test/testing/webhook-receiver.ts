import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';

export interface ReceivedWebhook {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A partner's receiver on loopback; it is closed after the test. */
export function webhookReceivers() {
  const open: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  return async (
    answer: (response: ServerResponse, count: number) => void = (response) => response.end(),
  ) => {
    const received: ReceivedWebhook[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method, headers } = request;
        received.push({ method, headers, body: Buffer.concat(chunks).toString('utf8') });
        answer(response, received.length);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
  };
}

/** One POST to a webhook receiver. */

import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** Limit for a receiver's response: the service ignores the body. */
const maxResponseBytes = 65_536;

/** What came of one POST. */
export interface WebhookPostResult {
  readonly status: number | undefined;
  readonly error: string | undefined;
}

/** Posts a body and waits for the whole response. Never rejects; follows no redirect. */
export function postWebhook(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<WebhookPostResult> {
  return new Promise((resolve) => {
    const send = url.startsWith('https:') ? requestHttps : requestHttp;
    const request = send(url, {
      method: 'POST',
      agent: false,
      signal,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    });
    const timer = setTimeout(
      () => request.destroy(new Error(`no response within ${timeoutMs} ms`)),
      timeoutMs,
    );
    const finish = (result: WebhookPostResult) => {
      clearTimeout(timer);
      resolve(result);
    };
    request.once('error', ({ message }) => finish({ status: undefined, error: message }));
    // Without this listener a 101 ends in neither a response nor an error.
    request.once('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      finish({ status: statusCode, error: undefined });
    });
    request.once('response', (response) => {
      let received = 0;
      response.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received > maxResponseBytes) request.destroy(new Error('the response is too long'));
      });
      response.once('error', ({ message }) => finish({ status: undefined, error: message }));
      response.once('end', () => finish({ status: response.statusCode, error: undefined }));
    });
    request.end(body);
  });
}

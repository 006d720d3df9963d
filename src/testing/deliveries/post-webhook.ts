/** One POST to a webhook receiver. */

import { request as requestHttp, type ClientRequest } from 'node:http';
import { request as requestHttps } from 'node:https';
import { onAbort } from '../../core/time/signals.js';

/** The rest of a receiver's response is not read: only its status counts. */
const maxResponseBytes = 65_536;

/** This much of it is logged: it may hold an error message. */
const maxKeptBytes = 2_048;

/** The result of one POST; a response that is too long has both a status and an error. */
export interface WebhookPostResult {
  readonly status: number | undefined;
  readonly error: string | undefined;
  /** The beginning of the response's body. */
  readonly body?: string;
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
    let request: ClientRequest;
    try {
      const send = new URL(url).protocol === 'https:' ? requestHttps : requestHttp;
      request = send(url, {
        method: 'POST',
        agent: false,
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      });
    } catch (error) {
      // A URL can be valid and still be refused here: for a stray % in its password.
      resolve({ status: undefined, error: String(error) });
      return;
    }
    const timer = setTimeout(
      () => request.destroy(new Error(`no response within ${timeoutMs} ms`)),
      timeoutMs,
    );
    // Not the option `signal`, with which each request would add a listener of its own.
    const release = onAbort(signal, () => request.destroy(new Error('The operation was aborted')));
    const finish = (result: WebhookPostResult) => {
      clearTimeout(timer);
      release();
      resolve(result);
    };
    request.once('error', (error) => finish({ status: undefined, error: reasonOf(error) }));
    // Without this listener a 101 ends in neither a response nor an error.
    request.once('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      finish({ status: statusCode, error: undefined });
    });
    request.once('response', (response) => {
      let received = 0;
      let kept = Buffer.alloc(0);
      response.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (kept.length < maxKeptBytes)
          kept = Buffer.concat([kept, chunk]).subarray(0, maxKeptBytes);
        if (received <= maxResponseBytes) return;
        finish({ status: response.statusCode, error: 'the response is too long' });
        request.destroy();
      });
      response.once('error', ({ message }) => finish({ status: undefined, error: message }));
      response.once('end', () =>
        finish({ status: response.statusCode, error: undefined, body: kept.toString('utf8') }),
      );
    });
    request.end(body);
  });
}

/** A refused connection to `localhost`, which has two addresses, is an error without a message. */
function reasonOf(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as readonly Error[]) : [];
  return error.message || (first?.message ?? error.name);
}

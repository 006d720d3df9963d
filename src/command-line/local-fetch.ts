/** localFetch: the runtime's `fetch`, but never through a proxy to this machine itself. */

import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { isLoopback } from '../testing/http/loopback.js';

interface LocalInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/**
 * As `fetch`, which follows NODE_USE_ENV_PROXY: a proxy looks for an emulator on its own machine. Redirects are
 * not followed.
 */
export async function localFetch(address: string, init: LocalInit): Promise<Response> {
  const { protocol, hostname } = new URL(address);
  if (protocol !== 'http:' || !isLoopback(hostname)) {
    return fetch(address, { ...init, redirect: 'manual' });
  }
  const { body, signal, ...rest } = init;
  // Of its own agent: the global one knows the proxy.
  const request = requestHttp(address, { ...rest, agent: false, signal });
  request.end(body);
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const status = response.statusCode ?? 0;
    const stream = Readable.toWeb(response) as ReadableStream<Uint8Array>;
    return new Response([204, 205, 304].includes(status) ? null : stream, {
      status,
      headers: Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
    });
  } catch (error) {
    signal.throwIfAborted();
    // `localhost` has two addresses, and their error has no message.
    const cause = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
    throw new TypeError('fetch failed', { cause });
  }
}

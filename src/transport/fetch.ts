/** A fetch function as the wire: for other runtimes, for msw, for a partner's own instrumentation. */

import { toWireFailure } from './failure.js';
import {
  bodyLimit,
  WireFailure,
  type Transport,
  type WireAnswer,
  type WireRequest,
} from './transport.js';

/** The part of the standard's `fetch` that is used. The global one fits. */
export type FetchLike = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: Uint8Array<ArrayBuffer>;
    signal: AbortSignal;
    redirect: 'manual';
  },
) => Promise<FetchAnswer>;

/** The part of the standard's `Response` that is used. */
export interface FetchAnswer {
  readonly status: number;
  readonly headers: { forEach(each: (value: string, name: string) => void): void };
  readonly body: { getReader(): FetchBodyReader } | null;
}

/** The part of the standard's `ReadableStreamDefaultReader` that is used. */
export interface FetchBodyReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

export function fetchTransport(fetch: FetchLike): Transport {
  return {
    async send(request, signal) {
      // A fetch that ignores its signal must not hold the call: the signal settles it here.
      let onAbort: (() => void) | undefined;
      const aborted = new Promise<never>((_resolve, reject) => {
        onAbort = () =>
          reject(new WireFailure('broken', { cause: signal.reason, retriable: false }));
        if (signal.aborted) onAbort();
        else signal.addEventListener('abort', onAbort);
      });
      try {
        return await Promise.race([exchange(fetch, request, signal), aborted]);
      } finally {
        if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
      }
    },
    close: () => Promise.resolve(),
  };
}

async function exchange(
  fetch: FetchLike,
  request: WireRequest,
  signal: AbortSignal,
): Promise<WireAnswer> {
  let head: Pick<WireAnswer, 'status' | 'headers'> | undefined;
  try {
    const answer = await fetch(request.origin + request.target, {
      method: request.method,
      headers: { ...request.headers },
      // A fresh copy: fetch may detach the buffer that it is handed.
      ...(request.body === undefined ? {} : { body: Uint8Array.from(request.body) }),
      signal,
      redirect: 'manual',
    });
    head = { status: answer.status, headers: flatten(answer.headers) };
    return { ...head, body: await readBody(answer, head) };
  } catch (error) {
    const failure = toWireFailure(error, undefined, head);
    // The standard has one error for every network failure, a TypeError, and no code for it.
    const networkError = failure.kind === 'unknown' && error instanceof TypeError;
    throw networkError ? new WireFailure('broken', { cause: error, retriable: true }) : failure;
  }
}

async function readBody(
  answer: FetchAnswer,
  head: Pick<WireAnswer, 'status' | 'headers'>,
): Promise<Uint8Array> {
  if (answer.body === null) return new Uint8Array();
  const reader = answer.body.getReader();
  const limit = bodyLimit(head.status);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    if (value === undefined) continue;
    chunks.push(value);
    length += value.byteLength;
    if (length > limit) {
      const cause = new Error(`the body is longer than ${limit} bytes`);
      await reader.cancel(cause);
      throw new WireFailure('too_large', { cause, retriable: false, head });
    }
  }
}

function flatten(headers: FetchAnswer['headers']): Record<string, string> {
  const flat: Record<string, string> = {};
  headers.forEach((value, name) => {
    if (name.toLowerCase() !== 'set-cookie') flat[name.toLowerCase()] = value;
  });
  return flat;
}

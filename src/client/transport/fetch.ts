/** A fetch function as the wire: for other runtimes, for msw, for a partner's own instrumentation. */

import { isMistake } from '../../core/errors/cause.js';
import { afterTurn } from '../../core/time/after-turn.js';
import { hasMethod } from '../../core/schema/options.js';
import type { Cancellation } from './cancellation.js';
import { classifyError } from './classify-error.js';
import {
  BodyCollector,
  TransportError,
  type ResponseHead,
  type Transport,
  type TransportResult,
  type TransportRequest,
} from './transport.js';

/** The part of the standard's `fetch` that is used. The global one fits. */
export type FetchLike = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: ArrayBuffer;
    signal: AbortSignal;
    redirect: 'manual';
  },
) => Promise<FetchResponseLike>;

/**
 * The part of the standard's `Response` that is used. Where `body` is no web stream, as node-fetch's is
 * none, it is read as an async iterable, or by `arrayBuffer()`.
 */
export interface FetchResponseLike {
  readonly status: number;
  readonly headers: { forEach(each: (value: string, name: string) => void): void };
  readonly body?: { getReader(): FetchBodyReader } | AsyncIterable<unknown> | null;
  arrayBuffer?(): Promise<ArrayBuffer>;
  /** Whether the body was read, as by a fetch function that logs it. */
  readonly bodyUsed?: boolean;
}

/** The part of the standard's `ReadableStreamDefaultReader` that is used. */
export interface FetchBodyReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

export function fetchTransport(fetch: FetchLike): Transport {
  return {
    send(request, cancellation, done) {
      const exchange = new FetchExchange(fetch, request, cancellation);
      let settled = false;
      const settle = (outcome: TransportResult) => {
        if (settled) return;
        settled = true;
        done(outcome);
      };
      // A fetch that ignores its signal must not hold the call: the cancellation settles it here.
      cancellation.onCancel(() => {
        if (!settled) settle(exchange.cancel(cancellation.reason));
      });
      // One turn more: unlike the own agent, a fetch function may write to an idle connection at once.
      afterTurn(() => {
        if (settled) return;
        cancellation.connected();
        exchange.run().then(settle, (error: unknown) => settle(classifyError(error, undefined)));
      });
    },
    close: () => Promise.resolve(),
  };
}

/** One request's life through a fetch function. */
class FetchExchange {
  readonly #fetch: FetchLike;
  readonly #request: TransportRequest;
  readonly #controller = new AbortController();
  readonly #cancellation: Cancellation;
  #head: ResponseHead | undefined;
  #reader: FetchBodyReader | undefined;

  constructor(fetch: FetchLike, request: TransportRequest, cancellation: Cancellation) {
    this.#fetch = fetch;
    this.#request = request;
    this.#cancellation = cancellation;
  }

  async run(): Promise<TransportResult> {
    const response = await this.#callFetch();
    if (!isResponseLike(response)) {
      const cause = new TypeError('the fetch function returned something that is not a Response');
      throw new TransportError('unknown', { cause, retryable: false });
    }
    // The standard's Response.error(), which a handler may return instead of rejecting.
    if (response.status === 0)
      throw networkError(new Error('the fetch function returned a network error'));
    this.#cancellation.progress += 1;
    this.#head = { status: response.status, headers: flattenHeaders(response.headers) };
    return await this.#read(response, new BodyCollector(this.#head));
  }

  /** Ends what is under way here, whether or not the fetch function obeys its signal. */
  cancel(reason: unknown): TransportError {
    this.#controller.abort(reason);
    void this.#stopReading(reason);
    const kind = this.#cancellation.progress === 0 ? 'not_sent' : 'connection_lost';
    return new TransportError(kind, { cause: reason, retryable: false, head: this.#head });
  }

  async #callFetch(): Promise<unknown> {
    const { method, origin, target, headers, body } = this.#request;
    this.#cancellation.progress += 1;
    // Not as a method of this object: Workers and browsers refuse their own fetch any other `this`.
    const fetch = this.#fetch;
    try {
      return await fetch(origin + target, {
        method,
        headers: { ...headers },
        // A fresh copy: fetch may detach the buffer that it receives.
        ...(body === undefined ? {} : { body: Uint8Array.from(body).buffer }),
        signal: this.#controller.signal,
        redirect: 'manual',
      });
    } catch (error) {
      if (isMistake(error)) throw mistakeError(error);
      const failure = classifyError(error, undefined);
      // The standard has one error for every network failure, a TypeError, and no code for it.
      throw failure.kind === 'unknown' && error instanceof TypeError
        ? networkError(error)
        : failure;
    }
  }

  async #read(response: FetchResponseLike, body: BodyCollector): Promise<TransportResult> {
    try {
      if (response.bodyUsed === true) throw mistakeError(bodyUsedError(), this.#head);
      this.#reader = openBody(response);
      // Cancelled before the response came, by a fetch that ignored the signal.
      const { signal } = this.#controller;
      if (signal.aborted) throw this.cancel(signal.reason);
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        this.#cancellation.progress += 1;
        if (value !== undefined && body.add(value)) {
          void this.#stopReading(new Error('the rest of the body is not read'));
          break;
        }
      }
    } catch (error) {
      if (isMistake(error)) throw mistakeError(error, this.#head);
      throw classifyError(error, true, this.#head);
    }
    return body.result();
  }

  async #stopReading(reason: unknown): Promise<void> {
    try {
      await this.#reader?.cancel(reason);
    } catch {
      // A body that has failed already rejects its cancellation, which the read reports.
    }
  }
}

/** The ways in which fetch functions give a body: the standard's, Node's streams, and the whole at once. */
function openBody(response: FetchResponseLike): FetchBodyReader {
  const body: Partial<Streams> = response.body ?? {};
  if (typeof body.getReader === 'function') return body.getReader();
  const iterator = body[Symbol.asyncIterator]?.();
  if (iterator !== undefined) {
    return {
      read: async () => {
        const next = await iterator.next();
        return next.done === true
          ? { done: true }
          : { done: false, value: next.value as Uint8Array };
      },
      cancel: async (reason) => {
        // return() would wait for the part that is being read.
        if (body.destroy === undefined) await iterator.return?.();
        else body.destroy(reason);
      },
    };
  }
  return wholeBody(response);
}

/** The methods of a body of either kind. */
interface Streams extends AsyncIterable<unknown> {
  getReader(): FetchBodyReader;
  destroy(reason?: unknown): unknown;
}

function wholeBody(response: FetchResponseLike): FetchBodyReader {
  // A mock with json() or text() alone has a body, which cannot be read.
  const readers = ['arrayBuffer', 'json', 'text'];
  const hasNone = response.body === undefined && !readers.some((name) => hasMethod(response, name));
  let done = response.body === null || hasNone;
  return {
    read: async () => {
      if (done) return { done };
      done = true;
      const bytes = await (response as Required<FetchResponseLike>).arrayBuffer();
      return { done: false, value: new Uint8Array(bytes) };
    },
    cancel: () => Promise.resolve(),
  };
}

function bodyUsedError(): TypeError {
  return new TypeError(
    'the fetch function returned a response whose body was read before. Read a clone()',
  );
}

/** To send the request again would run into the mistake again. */
function mistakeError(cause: unknown, head?: ResponseHead): TransportError {
  return new TransportError('unknown', { cause, retryable: false, head });
}

function networkError(cause: unknown): TransportError {
  return new TransportError('connection_lost', { cause, retryable: true });
}

function isResponseLike(value: unknown): value is FetchResponseLike {
  if (typeof value !== 'object' || value === null) return false;
  const { status, headers } = value as Record<string, unknown>;
  return (
    typeof status === 'number' &&
    typeof (headers as { forEach?: unknown } | null | undefined)?.forEach === 'function'
  );
}

function flattenHeaders(headers: FetchResponseLike['headers']): Record<string, string> {
  const flat: Record<string, string> = {};
  headers.forEach((value, name) => {
    if (name.toLowerCase() !== 'set-cookie') flat[name.toLowerCase()] = value;
  });
  return flat;
}

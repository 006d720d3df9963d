/** A fetch function as the wire: for other runtimes, for msw, for a partner's own instrumentation. */

import { toWireFailure } from './failure.js';
import {
  BodyParts,
  WireFailure,
  type AnswerHead,
  type Transport,
  type WireOutcome,
  type WireRequest,
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
    send(request, cutoff, done) {
      if (cutoff.fired) {
        done(new WireFailure('not_sent', { cause: cutoff.reason, retriable: false }));
        return;
      }
      const exchange = new Exchange(fetch, request);
      let settled = false;
      const settle = (outcome: WireOutcome) => {
        if (settled) return;
        settled = true;
        done(outcome);
      };
      // A fetch that ignores its signal must not hold the call: the cut-off settles it here.
      cutoff.whenFired(() => {
        if (!settled) settle(exchange.giveUp(cutoff.reason));
      });
      exchange.run().then(settle, (error: unknown) => settle(toWireFailure(error, undefined)));
    },
    close: () => Promise.resolve(),
  };
}

/** One request's life through a fetch function. */
class Exchange {
  readonly #fetch: FetchLike;
  readonly #request: WireRequest;
  readonly #controller = new AbortController();
  #head: AnswerHead | undefined;
  #reader: FetchBodyReader | undefined;

  constructor(fetch: FetchLike, request: WireRequest) {
    this.#fetch = fetch;
    this.#request = request;
  }

  async run(): Promise<WireOutcome> {
    const answer = await this.#ask();
    if (!isAnswer(answer)) {
      const cause = new TypeError('the fetch function gave something that is not a Response');
      throw new WireFailure('unknown', { cause, retriable: false });
    }
    // The standard's Response.error(), which a handler may give in place of a rejection.
    if (answer.status === 0) throw broken(new Error('the fetch function gave a network error'));
    this.#head = { status: answer.status, headers: flatten(answer.headers) };
    return await this.#read(answer, new BodyParts(this.#head));
  }

  /** Ends what is under way here, whether or not the fetch function minds its signal. */
  giveUp(reason: unknown): WireFailure {
    this.#controller.abort(reason);
    void this.#stopReading(reason);
    return new WireFailure('broken', { cause: reason, retriable: false, head: this.#head });
  }

  async #ask(): Promise<unknown> {
    const { method, origin, target, headers, body } = this.#request;
    try {
      return await this.#fetch(origin + target, {
        method,
        headers: { ...headers },
        // A fresh copy: fetch may detach the buffer that it is handed.
        ...(body === undefined ? {} : { body: Uint8Array.from(body).buffer }),
        signal: this.#controller.signal,
        redirect: 'manual',
      });
    } catch (error) {
      const failure = toWireFailure(error, undefined);
      // The standard has one error for every network failure, a TypeError, and no code for it.
      throw failure.kind === 'unknown' && error instanceof TypeError ? broken(error) : failure;
    }
  }

  async #read(answer: FetchAnswer, body: BodyParts): Promise<WireOutcome> {
    try {
      this.#reader = answer.body?.getReader();
      // Given up before the answer came, by a fetch that did not mind.
      const { signal } = this.#controller;
      if (signal.aborted) throw this.giveUp(signal.reason);
      for (;;) {
        const { done, value } = (await this.#reader?.read()) ?? { done: true };
        if (done) break;
        if (value !== undefined && body.add(value)) {
          void this.#stopReading(new Error('the rest of the body is not read'));
          break;
        }
      }
    } catch (error) {
      throw toWireFailure(error, true, this.#head);
    }
    return body.outcome();
  }

  async #stopReading(reason: unknown): Promise<void> {
    try {
      await this.#reader?.cancel(reason);
    } catch {
      // A body that has failed already rejects its cancellation, and that is told elsewhere.
    }
  }
}

function broken(cause: unknown): WireFailure {
  return new WireFailure('broken', { cause, retriable: true });
}

function isAnswer(value: unknown): value is FetchAnswer {
  if (typeof value !== 'object' || value === null) return false;
  const { status, headers } = value as Record<string, unknown>;
  return (
    typeof status === 'number' &&
    typeof (headers as { forEach?: unknown } | null | undefined)?.forEach === 'function'
  );
}

function flatten(headers: FetchAnswer['headers']): Record<string, string> {
  const flat: Record<string, string> = {};
  headers.forEach((value, name) => {
    if (name.toLowerCase() !== 'set-cookie') flat[name.toLowerCase()] = value;
  });
  return flat;
}

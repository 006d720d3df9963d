import { toMilliseconds, type Duration } from '../clock.js';

/** What goes wrong with one call. Made by the functions of {@link fault}. */
export type Fault =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** The body as sent; `undefined` is the service's error shape around code and message. */
      readonly body: string | undefined;
      readonly code: string;
      readonly message: string;
      readonly afterWork: boolean;
    }
  | { readonly kind: 'resetBeforeWork' }
  | { readonly kind: 'resetAfterWork' }
  | { readonly kind: 'emptyBody' }
  | { readonly kind: 'brokenBody' }
  | { readonly kind: 'slowBody'; readonly chunkBytes: number; readonly everyMs: number }
  | { readonly kind: 'endlessBody'; readonly everyMs: number }
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'wrongClock'; readonly offsetMs: number };

/** Details of an answer that takes the place of the service's own. */
export interface AnswerFaultOptions {
  /** Error code of the body. That of specification part 7 for the status unless given. */
  readonly code?: string;
  /** Message of the body. */
  readonly message?: string;
  /** Headers of the answer, beside the service's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body: a text as it is, anything else as JSON. Takes the place of code and message. */
  readonly body?: unknown;
  /** `true`: the service does its work first, and the answer gets lost. `false` unless given. */
  readonly afterWork?: boolean;
}

const codes: Readonly<Record<number, string>> = {
  400: 'validation_error',
  401: 'invalid_signature',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  422: 'price_mismatch',
  429: 'rate_limited',
  500: 'internal_error',
};

/**
 * The vocabulary of what can go wrong. Each function gives a fault for
 * {@link Faults.next | emulator.faults.next} or {@link Faults.on | emulator.faults.on}.
 *
 * @example
 * ```ts
 * import { fault, MarketEmulator } from 'market-partner-sdk/testing';
 *
 * const emulator = await MarketEmulator.start();
 * emulator.faults.next(fault.rateLimited(2));
 * emulator.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });
 * await emulator.stop();
 * ```
 */
export const fault = {
  /** Any status, with the service's error body or with any other. */
  status(status: number, options: AnswerFaultOptions = {}): Fault {
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      throw new TypeError('"status" must be a whole number from 200 to 599');
    }
    const { headers = {}, body, afterWork = false } = options;
    const isText = typeof body === 'string';
    return {
      kind: 'answer',
      status,
      headers: body === undefined || isText ? headers : { ...json, ...headers },
      body: body === undefined || isText ? body : JSON.stringify(body),
      code: options.code ?? codes[status] ?? `status_${status}`,
      message: options.message ?? 'A fault was asked for.',
      afterWork,
    };
  },

  /** 429 rate_limited with Retry-After in seconds (specification, part 7). */
  rateLimited(retryAfterSeconds: number): Fault {
    return fault.status(429, { headers: { 'retry-after': String(retryAfterSeconds) } });
  },

  /** 500 internal_error; with `afterWork` the work was done all the same. */
  internalError(options: { readonly afterWork?: boolean } = {}): Fault {
    return fault.status(500, options);
  },

  /** A page of HTML from a gateway that stands in between. 502 unless given. */
  html(
    status = 502,
    options: { readonly afterWork?: boolean; readonly body?: string } = {},
  ): Fault {
    const page = `<!doctype html><html><head><title>${status}</title></head><body><h1>Bad Gateway</h1></body></html>`;
    return fault.status(status, {
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: options.body ?? page,
      afterWork: options.afterWork ?? false,
    });
  },

  /** A redirect, which this API never answers with. */
  redirect(location: string, status = 302): Fault {
    return fault.status(status, { headers: { location }, body: '' });
  },

  /** The connection is reset before the service has done anything. */
  resetBeforeWork: (): Fault => ({ kind: 'resetBeforeWork' }),

  /** The service does its work (the order is recorded), then the connection is reset. */
  resetAfterWork: (): Fault => ({ kind: 'resetAfterWork' }),

  /** The service's own answer without its body: status and headers, then nothing. */
  emptyBody: (): Fault => ({ kind: 'emptyBody' }),

  /** The service's own answer, cut in the middle: content-length promises more than comes. */
  brokenBody: (): Fault => ({ kind: 'brokenBody' }),

  /** The service's own answer in small pieces with real pauses between them. */
  slowBody({ chunkBytes = 1, everyMs = 100 } = {}): Fault {
    if (!Number.isInteger(chunkBytes) || chunkBytes < 1) {
      throw new TypeError('"chunkBytes" must be a whole number above zero');
    }
    return { kind: 'slowBody', chunkBytes, everyMs: toMilliseconds(everyMs, 'everyMs') };
  },

  /** The service's own answer, and then more and more until the client goes away. */
  endlessBody({ everyMs = 10 } = {}): Fault {
    return { kind: 'endlessBody', everyMs: toMilliseconds(everyMs, 'everyMs') };
  },

  /** The work is done at once, the answer comes late, in real time. `Infinity` is never. */
  latency(duration: Duration): Fault {
    const ms = duration === Infinity ? Infinity : toMilliseconds(duration, 'duration');
    return { kind: 'latency', ms };
  },

  /**
   * The service's clock is wrong by this much, ahead where positive: verification and the Date
   * header both go by it; quotes and events do not.
   */
  wrongClock(offsetMs: number): Fault {
    if (!Number.isFinite(offsetMs)) throw new TypeError('"offsetMs" must be a finite number');
    return { kind: 'wrongClock', offsetMs };
  },
} as const;

const json = { 'content-type': 'application/json; charset=utf-8' } as const;

/** What a call gives: a promise of the data that can also tell how the data was come by. */

import type { PreparedCall } from './prepare.js';

/** The answer behind a call's data. */
export interface CallResponse {
  /** HTTP status. */
  readonly status: number;
  /** The answer's headers, names in lower case. `set-cookie` is left out. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON as received, with its envelope. */
  readonly body: unknown;
  /** The service's identifier of the request, where it gave one. */
  readonly requestId: string | undefined;
  /** Attempts that it took, the first included. */
  readonly attempts: number;
  /** The Idempotency-Key that was sent, if one was. */
  readonly idempotencyKey: string | undefined;
}

/** A call's data with the answer behind it. */
export interface WithResponse<T> {
  /** What the call gives without `withResponse`. */
  readonly data: T;
  /** The answer that it was read from. */
  readonly response: CallResponse;
}

/** A call that succeeded. */
export interface Answered {
  readonly call: PreparedCall;
  readonly response: CallResponse;
}

/**
 * A real promise of a call's data. The call starts at once, whether it is awaited or not.
 *
 * @example
 * ```ts
 * import { MarketClient } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const { data, response } = await market.orders
 *   .create({ domain: 'brew.example', expected_price: 250_000, currency: 'USD' })
 *   .withResponse();
 * console.log(data.public_id, response.idempotencyKey, response.attempts);
 * ```
 */
export class CallPromise<T> extends Promise<T> {
  readonly #response: () => CallResponse;

  /** `then`, `catch` and `finally` give plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** @internal Calls are made by the client's methods. */
  constructor(answered: Promise<Answered>, read: (answered: Answered) => T) {
    // The response alone is kept: with the call, its body and its secrets would live as long as this.
    let response!: CallResponse;
    super((resolve, reject) => {
      answered.then((given) => {
        try {
          response = given.response;
          resolve(read(given));
        } catch (error) {
          reject(error);
        }
      }, reject);
    });
    this.#response = () => response;
  }

  /** The data together with status, headers, body, attempts and idempotency key. */
  withResponse(): Promise<WithResponse<T>> {
    return this.then((data) => ({ data, response: this.#response() }));
  }
}

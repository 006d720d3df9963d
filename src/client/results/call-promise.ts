/** CallPromise: the promise a call returns, with the HTTP response behind its data. */

/** The response behind a call's data. */
export interface CallResponse {
  /** HTTP status. */
  readonly status: number;
  /** The response's headers, names in lower case, without `set-cookie`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON as received, with its envelope. */
  readonly body: unknown;
  /** The service's identifier of the request, if the response has one. */
  readonly requestId: string | undefined;
  /** Attempts that were made, the first included. */
  readonly attempts: number;
  /** The Idempotency-Key that was sent, if one was. */
  readonly idempotencyKey: string | undefined;
}

/** A call's data with the response behind it. */
export interface DataWithResponse<T> {
  /** What the call resolves to without `withResponse`. */
  readonly data: T;
  /** The response that the data was read from. */
  readonly response: CallResponse;
}

/** Starts a call and settles its promise; an error that it throws rejects the promise. */
export type CallExecutor<T> = (
  resolve: (result: DataWithResponse<T>) => void,
  reject: (reason: unknown) => void,
) => void;

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

  /** `then`, `catch` and `finally` return plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** @internal The client's methods create it. */
  constructor(executor: CallExecutor<T>) {
    // Keep only the response: the call holds the request body and secrets, which must be collectable.
    let response!: CallResponse;
    super((resolve, reject) => {
      executor((result) => {
        response = result.response;
        resolve(result.data);
      }, reject);
    });
    this.#response = () => response;
  }

  /** The data together with status, headers, body, attempts and idempotency key. */
  withResponse(): Promise<DataWithResponse<T>> {
    return this.then((data) => ({ data, response: this.#response() }));
  }
}

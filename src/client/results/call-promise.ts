/** CallPromise and callPromise: the promise that a call returns, with the HTTP response behind its data. */

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

/** A call's data with the response behind it. Its JSON has the data alone: headers are not for visitors. */
export interface DataWithResponse<T> {
  /** What the call resolves to without `withResponse`. */
  readonly data: T;
  /** The response that the data was read from. */
  readonly response: CallResponse;
}

/**
 * The promise that async functions return. zone.js, Bluebird and core-js replace the global one, and its methods
 * know none of an async function's promises.
 */
const AsyncPromise = (async () => {
  await Promise.resolve();
})().constructor as PromiseConstructor;

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
export class CallPromise<T> extends AsyncPromise<T> {
  static {
    hideConstructor(this);
  }

  /** The data together with status, headers, body, attempts and idempotency key. */
  async withResponse(): Promise<DataWithResponse<T>> {
    const data = await this;
    return new WithResponse(data, SlotOf.read(this).response);
  }
}

class WithResponse<T> implements DataWithResponse<T> {
  readonly data: T;
  readonly response: CallResponse;

  constructor(data: T, response: CallResponse) {
    this.data = data;
    this.response = response;
  }

  toJSON(): { data: T } {
    return { data: this.data };
  }
}

/** Where a call leaves its response. It holds nothing else of the call, whose body and secrets must not stay in memory. */
interface ResponseSlot {
  response: CallResponse | undefined;
}

/** Its instance is the object that it is given: the fields of a subclass are added to that. */
const Given = function (object: object) {
  return object;
} as unknown as new (object: object) => object;

/**
 * Adds a slot to a promise, as a private field: `console.log` would print a property, and to define one
 * that is not enumerable takes 3 % of a call.
 */
class SlotOf extends Given {
  readonly #slot: ResponseSlot;

  constructor(promise: object, slot: ResponseSlot) {
    super(promise);
    this.#slot = slot;
  }

  /** A promise that has resolved has its response. */
  static read(promise: object): { readonly response: CallResponse } {
    return (promise as SlotOf).#slot as { readonly response: CallResponse };
  }
}

/**
 * Starts a call, and returns its promise as a `CallPromise` or a `PagePromise`.
 *
 * The promise is the async function's own, and gets its class afterwards. V8 adds the functions that
 * await an async function's promise to the stack of an error; a promise with an executor ends the chain.
 *
 * @param promiseClass - one that called `hideConstructor`
 */
export function callPromise<T, P extends CallPromise<T>>(
  promiseClass: { readonly prototype: P },
  call: (slot: ResponseSlot) => Promise<T>,
): P {
  const slot: ResponseSlot = { response: undefined };
  const promise = Object.setPrototypeOf(call(slot), promiseClass.prototype) as P;
  new SlotOf(promise, slot);
  return promise;
}

/**
 * `await` takes a promise as it is only if its `constructor` is that of async functions, and wraps any other one in a
 * promise that ends the chain of stack frames. `then`, `catch` and `finally` return plain promises.
 */
export function hideConstructor(promiseClass: { readonly prototype: object }): void {
  Object.defineProperty(promiseClass.prototype, 'constructor', { value: AsyncPromise });
}

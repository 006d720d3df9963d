/** RequestOptions: the options of one call, and how they are read and checked. */

import { invalidRequest } from '../errors/invalid-request-error.js';
import { checkInput, idempotencyKey as idempotencyKeySchema } from '../input/index.js';
import { isPlainObject } from '../../json.js';
import type { ContextFields } from '../tracing.js';
import { abortSignal, checkOptions, type OptionTable } from '../../options.js';
import { limitOptions, readEntries } from './checks.js';

/**
 * Options of one call, the last argument of every method.
 *
 * @example
 * ```ts
 * import { MarketClient, type RequestOptions } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const options: RequestOptions = {
 *   idempotencyKey: 'payment-1001', // stored with the payment, before the call
 *   deadlineMs: 20_000,
 *   signal: AbortSignal.timeout(25_000),
 * };
 * const order = await market.orders.create({ domain: 'brew.example', expected_price: 250_000 }, options);
 * console.log(order.public_id);
 * ```
 */
export interface RequestOptions {
  /** Ends the call at once when it aborts. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt. Default: the client's. */
  timeoutMs?: number | undefined;
  /** Milliseconds for the whole call. Default: the client's. */
  deadlineMs?: number | undefined;
  /** Attempts after the first, at most. Default: the client's. */
  maxRetries?: number | undefined;
  /**
   * The Idempotency-Key: 1 to 255 visible ASCII characters. Without this option `orders.create`
   * creates a UUID v4; pass your own, stored before the call, and a repeat after a crash replays the
   * order. `undefined`, `null` and a blank key are refused: a new key would place a second order.
   * Other calls send the key, but the service promises nothing for it there.
   */
  idempotencyKey?: string;
  /** Headers for this call. The signed ones cannot be replaced. */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Fields of your own for the log lines and spans of this call: strings, finite numbers and booleans,
   * at most 32; `undefined` is left out. The client's own fields win. Nothing of it is sent.
   */
  context?: ContextFields | undefined;
}

/** The options of a method that makes several calls, which cannot share one Idempotency-Key. */
export const sharedOptionTable = {
  ...limitOptions,
  signal: abortSignal,
  headers: true,
  context: true,
} as const satisfies OptionTable<Omit<RequestOptions, 'idempotencyKey'>>;

/** Every option of a call. */
export const requestOptionTable = {
  ...sharedOptionTable,
  idempotencyKey: true,
} as const satisfies OptionTable<RequestOptions>;

/**
 * Reads each option once, so that a getter cannot change a value after its check.
 *
 * @param table - the options of this call
 * @param example - shown if something other than an object was passed
 * @throws {@link InvalidRequestError} that names the option and the rule that it breaks.
 */
export function readRequestOptions<T extends RequestOptions>(
  options: unknown,
  table: OptionTable<T>,
  example = '{ timeoutMs: 10_000 } or { idempotencyKey: "payment-1001" }',
): T {
  if (options === undefined) return {} as T;
  const copy = checkOptions<T>(table, options, invalidRequest, { example });
  // A key that is present and undefined is a variable that was empty: a new key would sell twice.
  if ('idempotencyKey' in (options as object)) checkIdempotencyKey(copy.idempotencyKey);
  if (copy.context !== undefined) copy.context = checkContext(copy.context);
  return copy;
}

/** More are a mistake, such as a whole request: each log line would repeat them. */
const maxContextFields = 32;

/** A copy: log lines are written later, when the caller may have changed the object. */
function checkContext(context: unknown): ContextFields {
  if (!isPlainObject(context)) {
    throw invalidRequest('context', 'must be a plain object of names and values');
  }
  const entries = readEntries('context', context, invalidRequest);
  // A header that a request does not have must not stop an order.
  const fields = entries.filter(([, value]) => value !== undefined);
  if (fields.length > maxContextFields) {
    throw invalidRequest('context', `must have at most ${maxContextFields} fields`);
  }
  for (const [name, value] of fields) {
    if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) continue;
    const path = `context.${name.slice(0, 60)}`;
    throw invalidRequest(path, 'must be a string, a finite number or a boolean');
  }
  return Object.fromEntries(fields) as ContextFields;
}

function checkIdempotencyKey(key: unknown): void {
  if (key === undefined) {
    throw invalidRequest(
      'idempotencyKey',
      'must not be undefined: pass the stored key, or leave the option out to have a key created',
    );
  }
  checkInput(idempotencyKeySchema, key, 'idempotencyKey');
}

/** The key for the error of a call that is refused; `undefined` if there is no valid one. */
export function validKeyOf(holder: unknown): string | undefined {
  try {
    const { idempotencyKey } = holder as { readonly idempotencyKey?: unknown };
    return checkInput(idempotencyKeySchema, idempotencyKey, 'idempotencyKey');
  } catch {
    return undefined;
  }
}

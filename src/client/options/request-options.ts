/** RequestOptions: the options of one call, and how they are read and checked. */

import * as z from 'zod/mini';
import { invalidRequest } from '../errors/invalid-request-error.js';
import { checkInput, idempotencyKey } from '../input/index.js';
import {
  abortSignal,
  checkOptions,
  lazily,
  milliseconds,
  optional,
  strict,
  wholeNumber,
  type Fields,
  type LazySchema,
  type Output,
  type Schema,
} from '../../core/schema/options.js';
import { ruled } from '../../core/schema/must.js';
import type { ContextFields } from '../tracing.js';
import { headers, namesAndValues } from './headers.js';

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

export const retries = () => wholeNumber(0, 100);

/** The options of a method that makes several calls, which cannot share one Idempotency-Key. */
export const sharedFields = () =>
  ({
    timeoutMs: optional(milliseconds()),
    deadlineMs: optional(milliseconds()),
    maxRetries: optional(retries()),
    signal: optional(abortSignal()),
    headers: optional(headers()),
    context: optional(context()),
  }) satisfies Fields<Omit<RequestOptions, 'idempotencyKey'>>;

/** Every option of a call. */
export const callFields = () =>
  ({
    ...sharedFields(),
    idempotencyKey: optional(idempotencyKey()),
  }) satisfies Fields<RequestOptions>;

const callOptions = lazily(() => strict(callFields()));
export type CallOptions = Output<typeof callOptions>;

/** The options of a call; most calls have none, and run no schema. */
export function readCallOptions(options: unknown): CallOptions {
  return options === undefined
    ? {}
    : readRequestOptions(
        callOptions,
        options,
        '{ timeoutMs: 10_000 } or { idempotencyKey: "payment-1001" }',
      );
}

/**
 * @param example - shown if something other than an object was passed
 * @throws {@link InvalidRequestError} that names the option and the rule that it breaks.
 */
export function readRequestOptions<S extends Schema<object>>(
  schema: LazySchema<S>,
  options: unknown = {},
  example: string,
): z.output<S> {
  const read = checkOptions(schema, options, invalidRequest, { example });
  // A key that is present and undefined is a variable that was empty: a new key would sell twice.
  if (!('idempotencyKey' in read) && 'idempotencyKey' in (options as object)) {
    throw invalidRequest(
      'idempotencyKey',
      'must not be undefined. Pass the stored key, or leave the option out to have a key created',
    );
  }
  return read;
}

/** More are a mistake, such as a whole request: each log line would repeat them. */
const maxContextFields = 32;

/** A copy: log lines are written later, when the caller may have changed the object. */
function context() {
  const rule = ruled('must be a string, a finite number or a boolean');
  const value = z.union([z.string(), z.number(), z.boolean()], rule);
  return z.pipe(
    z.pipe(namesAndValues(), z.transform(withoutUndefined)),
    z
      .record(z.string(), value)
      .check(
        z.refine(
          (fields) => Object.keys(fields).length <= maxContextFields,
          `must have at most ${maxContextFields} fields`,
        ),
      ),
  );
}

/** A header that a request does not have must not stop an order. */
function withoutUndefined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The key for the error of a call that is refused; `undefined` if there is no valid one. */
export function validKeyOf(holder: unknown): string | undefined {
  try {
    const { idempotencyKey: key } = holder as { readonly idempotencyKey?: unknown };
    return checkInput(idempotencyKey, key, 'idempotencyKey');
  } catch {
    return undefined;
  }
}

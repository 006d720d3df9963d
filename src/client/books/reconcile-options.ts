/** What `orders.reconcile` takes, and its checked form. */

import * as z from 'zod/mini';
import { isObject } from '../../core/json.js';
import { must, ruled } from '../../core/schema/must.js';
import {
  boolean,
  callback,
  checkOptions,
  lazily,
  optional,
  strict,
  withDefault,
  type Fields,
} from '../../core/schema/options.js';
import { invalidRequest } from '../errors/invalid-request-error.js';
import { windowMs } from '../input/index.js';
import {
  readRequestOptions,
  sharedFields,
  type RequestOptions,
} from '../options/request-options.js';
import type { SaleInBooks } from './booked-sale.js';

/**
 * The books, and the window to compare.
 *
 * @example
 * ```ts
 * import type { BooksToReconcile, SaleInBooks } from 'market-partner-sdk';
 *
 * const lastWeek = new Date(Date.now() - 7 * 24 * 3_600_000);
 * const books = (sales: AsyncIterable<SaleInBooks>): BooksToReconcile => ({ sales, from: lastWeek });
 * ```
 */
export interface BooksToReconcile {
  /**
   * The sales as stored, in any order: an array, or an async iterable such as a database cursor. Pass
   * those of the day before `from` too: an order that was recorded late is then joined to its sale.
   */
  sales: Iterable<SaleInBooks> | AsyncIterable<SaleInBooks>;
  /** Sales that began at this moment or later are compared. A Date, Unix
   * ms, or ISO 8601 with a zone; a day such as `'2026-11-21'` begins at midnight UTC. */
  from: Date | number | string;
  /** Sales that began before this moment are compared. Default: now less `graceMs`. */
  to?: Date | number | string | undefined;
  /** A younger sale may still lack its order, in milliseconds. Default: 15 minutes. */
  graceMs?: number | undefined;
  /** Report orders that have had one status for longer than this, in milliseconds. Default: off. */
  stuckAfterMs?: number | undefined;
  /** Compare the settlement statements whose period ends in the window. Default: false. */
  settlements?: boolean | undefined;
}

/**
 * Options of the comparison: those of a call, for each of its requests, and `onProgress`.
 *
 * @example
 * ```ts
 * import type { ReconcileOptions } from 'market-partner-sdk';
 *
 * const options: ReconcileOptions = {
 *   onProgress: ({ sales, orders }) => console.log(`${sales} sales, ${orders} orders`),
 * };
 * console.log(options.onProgress !== undefined);
 * ```
 */
export interface ReconcileOptions extends Omit<RequestOptions, 'idempotencyKey'> {
  /** Called when the sales were read, and after each page of orders. */
  onProgress?:
    ((progress: { readonly sales: number; readonly orders: number }) => void) | undefined;
}

const booksSchema = lazily(() =>
  strict({
    sales: must<Iterable<SaleInBooks> | AsyncIterable<SaleInBooks>>(
      'must be an iterable or async iterable of sales, such as an array or what a generator function returns',
      isIterable,
    ),
    from: windowMs(),
    to: optional(windowMs()),
    graceMs: withDefault(duration(), 15 * 60_000),
    stuckAfterMs: optional(duration()),
    settlements: withDefault(boolean(), false),
  } satisfies Fields<BooksToReconcile>),
);

const reconcileOptions = lazily(() =>
  strict({
    ...sharedFields(),
    onProgress:
      optional(callback<(progress: { readonly sales: number; readonly orders: number }) => void>()),
  } satisfies Fields<ReconcileOptions>),
);

export type ReconcileArguments = ReturnType<typeof readArguments>;

/** @throws {@link InvalidRequestError} that names the option and the rule. */
export function readArguments(books: unknown, options: unknown, nowMs: number) {
  const example = '{ sales, from: "2026-11-01" }';
  const { from, to, ...read } = checkOptions(booksSchema, books, invalidRequest, { example });
  const toMs = to ?? nowMs - read.graceMs;
  if (from >= toMs) {
    const end = new Date(toMs).toISOString();
    throw invalidRequest('from', `must be before the end of the window, ${end}`);
  }
  const { onProgress, ...call } = readRequestOptions(
    reconcileOptions,
    options,
    '{ onProgress: ({ orders }) => console.log(orders) }',
  );
  return { ...read, fromMs: from, toMs, onProgress, call };
}

function isIterable(value: unknown): boolean {
  return (
    isObject(value) &&
    [Symbol.iterator, Symbol.asyncIterator].some(
      (name) => typeof (value as Readonly<Record<symbol, unknown>>)[name] === 'function',
    )
  );
}

/** Compared with times only: it may be longer than a timer runs. */
function duration() {
  const rule = ruled('must be a number of milliseconds above 0');
  return z.number(rule).check(z.gt(0, rule));
}

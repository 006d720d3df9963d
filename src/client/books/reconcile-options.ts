/** What `orders.reconcile` takes, and its checked form. */

import { invalidRequest } from '../errors/invalid-request-error.js';
import { isObject } from '../../json.js';
import {
  boolean,
  callback,
  checkOptions,
  optionCheck,
  required,
  type OptionTable,
} from '../../options.js';
import { momentOrDay, toMs } from '../../moment.js';
import {
  readRequestOptions,
  sharedOptionTable,
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

export interface ReconcileArguments {
  readonly sales: Iterable<unknown> | AsyncIterable<unknown>;
  readonly fromMs: number;
  readonly toMs: number;
  readonly graceMs: number;
  readonly stuckAfterMs: number | undefined;
  readonly settlements: boolean;
  readonly onProgress: ReconcileOptions['onProgress'];
  readonly call: RequestOptions;
}

const iterable = optionCheck(
  'must be an iterable or async iterable of sales, such as an array or what a generator function returns',
  (value) =>
    isObject(value) &&
    [Symbol.iterator, Symbol.asyncIterator].some(
      (name) => typeof (value as Record<symbol, unknown>)[name] === 'function',
    ),
);

/** Compared with times only: it may be longer than a timer runs. */
const duration = optionCheck(
  'must be a number of milliseconds above 0',
  (value) => Number.isFinite(value) && Number(value) > 0,
);

const bookTable: OptionTable<BooksToReconcile> = {
  sales: required(iterable),
  from: required(momentOrDay),
  to: momentOrDay,
  graceMs: duration,
  stuckAfterMs: duration,
  settlements: boolean,
};

const optionTable: OptionTable<ReconcileOptions> = {
  ...sharedOptionTable,
  onProgress: callback,
};

const defaultGraceMs = 15 * 60_000;

/** @throws {@link InvalidRequestError} that names the option and the rule. */
export function readArguments(books: unknown, options: unknown, nowMs: number): ReconcileArguments {
  const example = '{ sales, from: "2026-11-01" }';
  const read = checkOptions<BooksToReconcile>(bookTable, books, invalidRequest, { example });
  const { sales, graceMs = defaultGraceMs, stuckAfterMs, settlements = false } = read;
  const fromMs = toMs(read.from);
  const endMs = read.to === undefined ? nowMs - graceMs : toMs(read.to);
  if (fromMs >= endMs) {
    const end = new Date(endMs).toISOString();
    throw invalidRequest('from', `must be before the end of the window, ${end}`);
  }
  const { onProgress, ...call } = readRequestOptions<ReconcileOptions>(
    options,
    optionTable,
    '{ onProgress: ({ orders }) => console.log(orders) }',
  );
  return { sales, fromMs, toMs: endMs, graceMs, stuckAfterMs, settlements, onProgress, call };
}

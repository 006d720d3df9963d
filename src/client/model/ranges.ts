/** What narrows a list or a report: dates and pages. */

/**
 * A span of time. Either end may be left out; `from` is not after `to`. A string is an ISO 8601
 * date, or a date-time with its zone, and is sent exactly as given; a `Date` and Unix milliseconds are
 * sent as `toISOString()`. Anything else is refused with an `InvalidRequestError`.
 *
 * @see specification, parts 4.4 and 4.6
 *
 * @example
 * ```ts
 * import type { DateRange } from 'market-partner-sdk';
 *
 * const firstQuarter: DateRange = { from: '2026-01-01', to: '2026-03-31' };
 * const sinceThen: DateRange = { from: new Date(Date.UTC(2026, 3, 1)) };
 * ```
 */
export interface DateRange {
  /** First moment. Named for transactions (part 4.4); assumed elsewhere. */
  from?: Date | number | string | undefined;
  /** Last moment. Named for transactions (part 4.4); assumed elsewhere. */
  to?: Date | number | string | undefined;
}

/**
 * Where a page starts and how long it is. A list reads its further pages by itself; this is for
 * continuing from a stored cursor.
 *
 * @see specification, part 4.2 ("cursor pagination"); the parameters' names are not shown
 *
 * @example
 * ```ts
 * import type { PageRequest } from 'market-partner-sdk';
 *
 * const resumed: PageRequest = { cursor: 'cursor-of-the-last-page', limit: 50 };
 * ```
 */
export interface PageRequest {
  /** Opaque position, from `nextCursor` of an earlier page. @assumed part 4.2 */
  cursor?: string | undefined;
  /** Records on one page: a whole number from 1 up. The service's own bounds are not shown. @assumed part 4.2 */
  limit?: number | undefined;
}

/** The schema of a date, and the rule of a date range. */

import { isDate } from 'node:util/types';
import * as z from 'zod/mini';
import { lazily, obey } from '../../schema/must.js';
import type { Violation } from '../../schema/records.js';
import { parseServiceTime } from '../../service-time.js';
import type { DateRange } from '../model/ranges.js';
import { describeValue, quote } from './describe-value.js';

const iso8601 =
  /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** A point in time: a `Date`, sent as `toISOString()`, or an ISO 8601 string, sent as given. */
export const instant = lazily(() =>
  z.pipe(
    obey<string | Date>(instantViolation),
    z.transform((value) => (typeof value === 'string' ? value : isoTime(value))),
  ),
);

/** The violation of a range that ends before it begins. Both ends are valid on their own. */
export function rangeViolation({ from, to }: DateRange): Violation | undefined {
  if (typeof from !== 'string' || typeof to !== 'string') return undefined;
  if (parseServiceTime(from) <= parseServiceTime(isDateOnly(to) ? `${to}T23:59:59.999` : to))
    return undefined;
  return {
    path: 'from',
    message: `must not be after "to"; ${quote(from)} is after ${quote(to)}`,
  };
}

/** A Date by its time, whatever methods of its own it has. */
export function isoTime(date: Date): string {
  return Date.prototype.toISOString.call(date);
}

export function isValidDate(date: Date): boolean {
  return !Number.isNaN(Date.prototype.getTime.call(date));
}

function instantViolation(value: unknown): string | undefined {
  if (isDate(value)) {
    if (!isValidDate(value)) return 'must be a valid Date; received an invalid one';
    // A year of five digits nearly always comes from milliseconds that were multiplied by 1,000.
    return iso8601.test(isoTime(value))
      ? undefined
      : `must be in a year of four digits; received ${quote(isoTime(value))}`;
  }
  if (typeof value !== 'string' || !iso8601.test(value)) {
    return `must be a Date or an ISO 8601 date or date-time, such as "2026-01-31"; received ${describeValue(value)}`;
  }
  return isOnTheCalendar(value)
    ? undefined
    : `must be a date or time that exists; ${quote(value)} does not`;
}

/** Date.parse reads 2026-02-30 as 2 March; round-trip to reject impossible dates. */
function isOnTheCalendar(value: string): boolean {
  const day = parseServiceTime(value.slice(0, 10));
  return (
    !Number.isNaN(day) &&
    new Date(day).toISOString().startsWith(value.slice(0, 10)) &&
    !value.includes('T24') &&
    !Number.isNaN(parseServiceTime(value))
  );
}

function isDateOnly(value: string): boolean {
  return value.length === 10;
}

/** Checks of dates and of spans between them. */

import { isDate } from 'node:util/types';
import type { DateRange } from '../../model/ranges.js';
import type { RecordFault } from '../documented.js';
import { expected, quoted } from '../given.js';
import { normalized, rule } from '../rule.js';

const ISO_8601 = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** A moment: a `Date`, sent as `toISOString()`, or an ISO 8601 string, sent as given. */
export const moment = normalized(rule<string | Date>(momentFault), (value) =>
  typeof value === 'string' ? value : value.toISOString(),
);

/** The fault of a span that ends before it begins. Both ends have been checked on their own. */
export function spanFault({ from, to }: DateRange): RecordFault | undefined {
  if (typeof from !== 'string' || typeof to !== 'string') return undefined;
  if (milliseconds(from) <= milliseconds(isDateOnly(to) ? `${to}T23:59:59.999` : to))
    return undefined;
  return {
    field: 'from',
    message: `must not be after "to"; ${quoted(from)} is after ${quoted(to)}`,
  };
}

function momentFault(value: unknown): string | undefined {
  const what = 'a Date or an ISO 8601 date or date-time, such as "2026-01-31"';
  if (isDate(value)) {
    if (Number.isNaN(value.getTime())) return 'must be a valid Date; an invalid one was given';
    // Years of five digits are nearly always seconds or milliseconds that were multiplied once more.
    return ISO_8601.test(value.toISOString())
      ? undefined
      : `must be in a year of four digits; ${quoted(value.toISOString())} was given`;
  }
  if (typeof value !== 'string' || !ISO_8601.test(value)) return expected(what, value);
  return isOnTheCalendar(value)
    ? undefined
    : `must be on the calendar and the clock; ${quoted(value)} is not`;
}

/** `Date.parse` takes 2026-02-30 for the second of March: the day must come back as it went in. */
function isOnTheCalendar(value: string): boolean {
  const day = milliseconds(value.slice(0, 10));
  return (
    !Number.isNaN(day) &&
    new Date(day).toISOString().startsWith(value.slice(0, 10)) &&
    !value.includes('T24') &&
    !Number.isNaN(milliseconds(value))
  );
}

/** A time without an offset is UTC, as all of the service's times are. */
function milliseconds(value: string): number {
  const hasOffset = isDateOnly(value) || /(?:Z|[+-]\d{2}:\d{2})$/.test(value);
  return Date.parse(hasOffset ? value : `${value}Z`);
}

function isDateOnly(value: string): boolean {
  return value.length === 10;
}

/** The schema of a date, and the rule of a date range. */

import * as z from 'zod/mini';
import { filterMoment, moment, momentOrDay, toMs } from '../../core/moment.js';
import { lazily, obey } from '../../core/schema/must.js';
import type { Violation } from '../../core/schema/records.js';
import { parseServiceTime } from '../../core/service-time.js';
import type { DateRange } from '../model/ranges.js';
import { describeValue, quote } from './describe-value.js';

type Moment = Date | number | string;

/** A point in time: a text is sent as given, a `Date` and Unix milliseconds as `toISOString()`. */
export const instant = lazily(() =>
  z.pipe(
    obey<Moment>(instantViolation),
    z.transform((value) => (typeof value === 'string' ? value : new Date(value).toISOString())),
  ),
);

/** When something happened, in Unix milliseconds. */
export const unixMs = lazily(() => z.pipe(obey<Moment>(moment), z.transform(inMs)));

/** An end of a window, in Unix milliseconds: a day is its midnight in UTC. */
export const windowMs = lazily(() => z.pipe(obey<Moment>(momentOrDay), z.transform(inMs)));

/** The violation of a range that ends before it begins. Both ends are valid on their own. */
export function rangeViolation({ from, to }: DateRange): Violation | undefined {
  if (typeof from !== 'string' || typeof to !== 'string') return undefined;
  const isDay = to.length === 10;
  if (parseServiceTime(from) <= parseServiceTime(isDay ? `${to}T23:59:59.999` : to))
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

function inMs(value: Moment): number {
  return toMs(value);
}

function instantViolation(value: unknown): string | undefined {
  const rule = filterMoment(value);
  return rule && `${rule}; received ${describeValue(value)}`;
}

/** A moment that a caller passes, such as `startedAt`: a Date, Unix milliseconds, or ISO 8601 with a zone. */

import { isDate } from 'node:util/types';

/**
 * `Date.parse` reads a text without a zone in the zone of the process, and 05.11.2026 as the eleventh of
 * May. Either moves a sale to another day, and makes one of yesterday pass for a new one.
 */
export const iso8601 =
  /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Now in Unix seconds is before this as milliseconds, and now in microseconds is after the year 9999. */
const earliestMs = 100_000_000_000;
const latestMs = Date.UTC(10_000, 0) - 1;
const yearZeroMs = Date.parse('0000-01-01');

const form = 'must be a Date, Unix milliseconds or ISO 8601 with a zone ("2026-11-21T08:00:00Z")';
const formOrDay = `${form}, or a day of UTC ("2026-11-21")`;

/** The rule that the moment of an event breaks; `undefined` if it breaks none. */
export function moment(value: unknown): string | undefined {
  const isDay = typeof value === 'string' && value.length === 10;
  return !isDay && isInRange(value, earliestMs) ? undefined : form;
}

/** The rule of an end of a window: a {@link moment}, or a day, which begins at its midnight in UTC. */
export function momentOrDay(value: unknown): string | undefined {
  return isInRange(value, earliestMs) ? undefined : formOrDay;
}

/** The rule of a filter: as {@link momentOrDay}, but `new Date(0)` is a usual name for all there is. */
export function filterMoment(value: unknown): string | undefined {
  const sinceMs = typeof value === 'number' ? earliestMs : yearZeroMs;
  return isInRange(value, sinceMs) ? undefined : formOrDay;
}

/** In Unix milliseconds; `NaN` for what is no moment and no day. */
export function toMs(value: unknown): number {
  if (typeof value === 'string') return isOnTheCalendar(value) ? Date.parse(value) : Number.NaN;
  return isDate(value) || typeof value === 'number' ? new Date(value).getTime() : Number.NaN;
}

/** `Date.parse` reads 2026-02-30 as 2 March. */
function isOnTheCalendar(text: string): boolean {
  if (!iso8601.test(text)) return false;
  const day = text.slice(0, 10);
  const midnight = new Date(day);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

function isInRange(value: unknown, earliest: number): boolean {
  const ms = toMs(value);
  return ms >= earliest && ms <= latestMs;
}

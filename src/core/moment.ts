/** A moment that a caller passes, such as `startedAt`: a Date, Unix milliseconds, or ISO 8601 with a zone. */

import { isDate } from 'node:util/types';

/**
 * `Date.parse` reads a text without a zone in the zone of the process, and 05.11.2026 as the eleventh of
 * May. Either moves a sale to another day, and makes one of yesterday pass for a new one.
 */
export const iso8601 =
  /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Nothing was sold before this: 1973, which is now in Unix seconds. */
const earliestMs = 100_000_000_000;
/** The last moment with a year of four digits. Later ones come from microseconds, or from milliseconds times 1,000. */
const latestMs = Date.UTC(10_000, 0) - 1;
const yearZeroMs = Date.parse('0000-01-01');

const form = 'must be a Date, Unix milliseconds or ISO 8601 with a zone ("2026-11-21T08:00:00Z")';
const formOrDay = `${form}, or a day of UTC ("2026-11-21")`;

/** The rule that the moment of an event breaks; `undefined` if it breaks none. */
export function moment(value: unknown): string | undefined {
  return isDay(value) ? form : (formRule(value, form) ?? rangeRule(value));
}

/** The rule of an end of a window: a {@link moment}, or a day, which begins at its midnight in UTC. */
export function momentOrDay(value: unknown): string | undefined {
  return formRule(value, formOrDay) ?? rangeRule(value);
}

/** The rule of a filter: as {@link momentOrDay}, but `new Date(0)` is a usual name for all there is. */
export function filterMoment(value: unknown): string | undefined {
  const sinceMs = typeof value === 'number' ? earliestMs : yearZeroMs;
  return formRule(value, formOrDay) ?? rangeRule(value, sinceMs);
}

/** In Unix milliseconds; `NaN` for what is no moment and no day. */
export function toMs(value: unknown): number {
  if (typeof value === 'string') return isOnTheCalendar(value) ? Date.parse(value) : Number.NaN;
  return isDate(value) || typeof value === 'number' ? new Date(value).getTime() : Number.NaN;
}

function isDay(value: unknown): boolean {
  return typeof value === 'string' && value.length === 10;
}

function formRule(value: unknown, rule: string): string | undefined {
  if (!Number.isNaN(toMs(value))) return undefined;
  const isWritten = typeof value === 'string' && iso8601.test(value);
  return isWritten ? 'must be a date or time that exists' : rule;
}

/** `Date.parse` reads 2026-02-30 as 2 March, and 24:00 as midnight of the next day. */
function isOnTheCalendar(text: string): boolean {
  if (!iso8601.test(text) || text.includes('T24')) return false;
  const day = text.slice(0, 10);
  const midnight = new Date(day);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

/** A sale of 1970 or of the year 50,000 would be outside of every window, and pass for old or for new. */
function rangeRule(value: unknown, sinceMs = earliestMs): string | undefined {
  const ms = toMs(value);
  if (ms < sinceMs) return 'is before 1973: Unix milliseconds are meant, not seconds';
  return ms > latestMs
    ? 'is after the year 9999: Unix milliseconds are meant, not microseconds'
    : undefined;
}

/** A moment that a caller passes, such as `startedAt`: a Date, Unix milliseconds, or ISO 8601 with a zone. */

import { isDate } from 'node:util/types';

/**
 * `Date.parse` reads a text without a zone in the zone of the process, and 05.11.2026 as the eleventh of
 * May. Either moves a sale to another day, and makes one of yesterday pass for a new one.
 */
const iso8601 =
  /^\d{4}-\d{2}-\d{2}(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/** Nothing was sold before this: 1973, which is now in Unix seconds. */
const earliestMs = 100_000_000_000;

const form = 'must be a Date, Unix milliseconds or ISO 8601 with a zone ("2026-11-21T08:00:00Z")';

/** The rule that the moment of an event breaks; `undefined` if it breaks none. */
export function moment(value: unknown): string | undefined {
  return Number.isNaN(toMs(value)) || isDay(value) ? form : notInSeconds(value);
}

/** The rule of an end of a window: a {@link moment}, or a day, which begins at its midnight in UTC. */
export function momentOrDay(value: unknown): string | undefined {
  return Number.isNaN(toMs(value))
    ? `${form}, or a day of UTC ("2026-11-21")`
    : notInSeconds(value);
}

/** In Unix milliseconds; `NaN` for a value that breaks the rule of {@link momentOrDay}. */
export function toMs(value: unknown): number {
  if (typeof value === 'string') return isOnTheCalendar(value) ? Date.parse(value) : Number.NaN;
  return isDate(value) || typeof value === 'number' ? new Date(value).getTime() : Number.NaN;
}

function isDay(value: unknown): boolean {
  return typeof value === 'string' && value.length === 10;
}

/** `Date.parse` reads 2026-02-30 as 2 March. */
function isOnTheCalendar(text: string): boolean {
  if (!iso8601.test(text)) return false;
  const day = text.slice(0, 10);
  const midnight = new Date(day);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

/** A sale of 1970 would be outside of every window, and one of last year would pass for new. */
function notInSeconds(value: unknown): string | undefined {
  return toMs(value) < earliestMs
    ? 'is before 1973: Unix milliseconds are meant, not seconds'
    : undefined;
}

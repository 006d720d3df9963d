/** A moment that a caller passes, such as `startedAt`: a Date, Unix milliseconds, or an ISO 8601 string. */

import { isDate } from 'node:util/types';
import { optionCheck } from '../../options.js';

export const moment = optionCheck(
  'must be a Date, Unix milliseconds or an ISO 8601 string',
  (value) => !Number.isNaN(toMs(value)),
);

/** Nothing was sold before this: 1973, which is now in Unix seconds. */
const earliestMs = 100_000_000_000;

/**
 * A {@link moment} that is not in seconds: what began in 1970 would be outside of every window, and
 * a record of last year would pass for what began now.
 */
export function momentInMs(value: unknown): string | undefined {
  return (
    moment(value) ??
    (toMs(value) < earliestMs
      ? 'is before 1973: Unix milliseconds are meant, not seconds'
      : undefined)
  );
}

/** In Unix milliseconds; `NaN` for a value that is not a {@link moment}. */
export function toMs(value: unknown): number {
  const isMoment = isDate(value) || typeof value === 'number' || typeof value === 'string';
  return isMoment ? new Date(value).getTime() : Number.NaN;
}

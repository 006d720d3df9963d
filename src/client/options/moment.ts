/** A moment that a caller passes, such as `startedAt`: a Date, Unix milliseconds, or an ISO 8601 string. */

import { isDate } from 'node:util/types';
import { optionCheck } from '../../options.js';

export const moment = optionCheck(
  'must be a Date, Unix milliseconds or an ISO 8601 string',
  (value) => !Number.isNaN(toMs(value)),
);

/** In Unix milliseconds; `NaN` for a value that is not a {@link moment}. */
export function toMs(value: unknown): number {
  const isMoment = isDate(value) || typeof value === 'number' || typeof value === 'string';
  return isMoment ? new Date(value).getTime() : Number.NaN;
}

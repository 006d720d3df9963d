/** The Retry-After header: seconds as the specification has it (part 7), or HTTP's date. */

import { parseHttpDate } from './service-clock.js';

/**
 * Milliseconds to wait from `nowMs`, or `undefined` where the header is missing or malformed.
 * A date in the past is no wait.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim();
  if (text === undefined) return undefined;
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const dateMs = parseHttpDate(text);
  return dateMs === undefined ? undefined : Math.max(0, dateMs - nowMs);
}

/** parseServiceTime: a time that the service states, in Unix milliseconds. */

/**
 * The service's times are in UTC (specification, part 2); `Date.parse` would read one without an offset in
 * the machine's time zone. `NaN` for anything that is not a time.
 */
export function parseServiceTime(time: unknown): number {
  if (typeof time !== 'string') return Number.NaN;
  return Date.parse(/\d[T ][\d:.]+$/.test(time) ? `${time}Z` : time);
}

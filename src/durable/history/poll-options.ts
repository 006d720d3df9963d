/** How the history is read. */

import * as z from 'zod/mini';
import { ruled } from '../../core/schema/must.js';
import {
  lazily,
  oneOf,
  strict,
  text,
  wholeNumber,
  withDefault,
  type Fields,
  type Output,
} from '../../core/schema/options.js';

/** Where a consumer that has no checkpoint begins. */
export type StartFrom = 'beginning' | 'now' | { readonly after_id: string };

/** How often the history is read, and how far back each time. */
export interface PollOptions {
  /** The time between polls, in milliseconds, ±20 %. Default: 60,000. */
  readonly everyMs?: number | undefined;
  /**
   * Each of these polls reads events that are younger than this again, in milliseconds, so that events which
   * become visible late are found. A delivered event that the history does not show for this long is
   * stored as it was delivered. Default: 300,000.
   */
  readonly overlapMs?: number | undefined;
  /** Each of these polls reads at least this many events again. Default: 50. */
  readonly overlapEvents?: number | undefined;
  /** Events of one request. Default: 100. */
  readonly pageSize?: number | undefined;
}

export const pollSchema = lazily(() =>
  strict({
    everyMs: withDefault(wholeNumber(1), 60_000),
    overlapMs: withDefault(wholeNumber(0), 300_000),
    overlapEvents: withDefault(wholeNumber(0), 50),
    pageSize: withDefault(wholeNumber(1), 100),
  } satisfies Fields<PollOptions>),
);
export type PollSettings = Output<typeof pollSchema>;

/** Every place loses or repeats something, so there is no default. */
export function startFrom() {
  const place = z.object({ after_id: text() });
  return z.union(
    [oneOf('beginning', 'now'), place],
    ruled('must be "beginning", "now" or { after_id }'),
  );
}

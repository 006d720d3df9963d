/** How the history is read. */

import { wholeNumber, type OptionCheck, type OptionTable } from '../../options.js';
import { checkDurableOptions } from '../options.js';

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

export type PollSettings = { readonly [Name in keyof PollOptions]-?: number };

const defaults: PollSettings = {
  everyMs: 60_000,
  overlapMs: 300_000,
  overlapEvents: 50,
  pageSize: 100,
};

const table: OptionTable<PollOptions> = {
  everyMs: wholeNumber(1),
  overlapMs: wholeNumber(0),
  overlapEvents: wholeNumber(0),
  pageSize: wholeNumber(1),
};

/** @throws {@link DurableConfigurationError} */
export function resolvePoll(options: PollOptions = {}): PollSettings {
  const given = checkDurableOptions(table, options, 'poll');
  // What is undefined is absent from `given`, so it does not overwrite a default.
  return Object.assign({ ...defaults }, given);
}

/** The rule of `startFrom`: every value loses or repeats something, so there is no default. */
export const startFromCheck: OptionCheck = (value) => {
  if (value === 'beginning' || value === 'now') return undefined;
  const { after_id: afterId } = Object(value) as { after_id?: unknown };
  const isPlace = typeof afterId === 'string' && afterId !== '';
  return isPlace ? undefined : 'must be "beginning", "now" or { after_id }';
};

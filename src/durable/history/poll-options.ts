/** How the history is read. */

import { DurableConfigurationError } from '../errors.js';
import { checkKnownOptions, checkNumber } from '../options.js';

/** Where a consumer that has no checkpoint begins. */
export type StartFrom = 'beginning' | 'now' | { readonly after_id: string };

/** How often the history is read, and how far back each time. */
export interface PollOptions {
  /** The time between polls, in milliseconds, ±20 %. Default: 60,000. */
  readonly everyMs?: number | undefined;
  /** Each poll reads again what is younger than this, in milliseconds. Default: 300,000. */
  readonly overlapMs?: number | undefined;
  /** Each poll reads this many events again, at least. Default: 50. */
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

/** @throws {@link DurableConfigurationError} */
export function resolvePoll(options: PollOptions = {}): PollSettings {
  checkKnownOptions(options, Object.keys(defaults), 'poll.');
  const settings = { ...defaults };
  for (const name of Object.keys(defaults) as (keyof PollSettings)[]) {
    const value = options[name];
    if (value === undefined) continue;
    checkNumber(value, `poll.${name}`, name.startsWith('overlap') ? 0 : 1);
    Object.assign(settings, { [name]: value });
  }
  return settings;
}

/** @throws {@link DurableConfigurationError} */
export function checkStartFrom(startFrom: StartFrom): void {
  const isWord = startFrom === 'beginning' || startFrom === 'now';
  const { after_id: afterId } = Object(startFrom) as { after_id?: unknown };
  if (isWord || (typeof afterId === 'string' && afterId !== '')) return;
  throw new DurableConfigurationError(
    '"startFrom" must be "beginning", "now" or { after_id }: each loses or repeats something else.',
  );
}

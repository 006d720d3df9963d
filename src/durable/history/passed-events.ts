/** `PassedEvents`: what a consumer passed when it began after the beginning of the history. */

import type { Checkpoint } from '../queue/job.js';

export type PassedEvents = NonNullable<Checkpoint['passed']>;
type Anchor = Checkpoint['anchors'][number];

/** A checkpoint is written with every page: it must not grow without end. */
export const maxPassedIds = 500;

/**
 * An event that became visible late may lie close to the place: within the overlap only known ids
 * were passed, and what is older.
 */
export function passedUpTo(events: readonly Anchor[], overlapMs: number): PassedEvents {
  const newestMs = Math.max(...events.map(({ created_at }) => Date.parse(created_at)));
  const beforeMs = newestMs - overlapMs;
  const near = events.filter(({ created_at }) => !(Date.parse(created_at) < beforeMs));
  const ids = near.slice(-maxPassedIds).map(({ id }) => id);
  return { before: toIso(beforeMs), ids };
}

/** @param first - the first event that was not passed: what is much older was. */
export function passedBefore(
  { ids }: PassedEvents,
  first: Anchor,
  overlapMs: number,
): PassedEvents {
  return { before: toIso(Date.parse(first.created_at) - overlapMs), ids };
}

export function hasPassed(passed: PassedEvents | undefined, { id, created_at }: Anchor): boolean {
  if (passed === undefined) return false;
  const { before, ids } = passed;
  return ids.includes(id) || (before !== null && Date.parse(created_at) < Date.parse(before));
}

/** Beyond it no date has a text. */
const latestDateMs = 8.64e15;

function toIso(ms: number): string | null {
  return Math.abs(ms) <= latestDateMs ? new Date(ms).toISOString() : null;
}

/** `SkippedEvents`: the events that a consumer skipped because it did not start at the beginning of the history. */

import { parseServiceTime } from '../../core/service-time.js';
import type { Checkpoint } from '../queue/job.js';

export type SkippedEvents = NonNullable<Checkpoint['skipped']>;
type Anchor = Checkpoint['anchors'][number];

/** A checkpoint is written with every page, so the list of ids must stay short. */
export const maxSkippedIds = 500;

/**
 * Everything up to the last of these events. An event of the last `overlapMs` may become visible
 * late, so there only the ids that were seen count as skipped; before it, everything does.
 */
export function skippedUpTo(events: readonly Anchor[], overlapMs: number): SkippedEvents {
  const dates = events.map(({ created_at }) => parseServiceTime(created_at));
  const newestMs = Math.max(...dates.filter((ms) => !Number.isNaN(ms)));
  const beforeMs = newestMs - overlapMs;
  const near = events.filter(({ created_at }) => !(parseServiceTime(created_at) < beforeMs));
  const ids = near.slice(-maxSkippedIds).map(({ id }) => id);
  return { before: toIso(beforeMs), ids };
}

/** @param first - the first event that was not skipped: everything much older was. */
export function skippedBefore(
  { ids }: SkippedEvents,
  first: Anchor,
  overlapMs: number,
): SkippedEvents {
  return { before: toIso(parseServiceTime(first.created_at) - overlapMs), ids };
}

export function wasSkipped(
  skipped: SkippedEvents | undefined,
  { id, created_at }: Anchor,
): boolean {
  if (skipped === undefined) return false;
  const { before, ids } = skipped;
  return (
    ids.includes(id) || (before !== null && parseServiceTime(created_at) < parseServiceTime(before))
  );
}

/** Dates beyond this have no ISO 8601 form. */
const latestDateMs = 8.64e15;

function toIso(ms: number): string | null {
  return Math.abs(ms) <= latestDateMs ? new Date(ms).toISOString() : null;
}

/** A page of a list: the options that ask for it, where it begins, and all of them in turn. */

import { optional, text, wholeNumber, withDefault } from '../../core/schema/options.js';
import { invalidOption } from '../options.js';
import type { DurableQueue } from './engine.js';
import type { JobRecord, JobState } from './job.js';

/** Items, oldest first, and where the next page begins. */
export type ListPage<T> = T[] & {
  /** `null` on the last page. */
  readonly nextCursor: string | null;
};

/** The cursor is not enumerable: a page compares and prints as the list of its items. */
export function toPage<T>(items: readonly T[], nextCursor: string | null): ListPage<T> {
  return Object.defineProperty([...items], 'nextCursor', { value: nextCursor }) as ListPage<T>;
}

export const pageFields = () => ({
  limit: withDefault(wholeNumber(1), 100),
  cursor: optional(text()),
});

/** A cursor that is not understood would give an empty page, as if nothing were left. */
export function checkCursor(cursor: string | undefined, pattern: RegExp): void {
  if (cursor === undefined || pattern.test(cursor)) return;
  throw invalidOption('cursor', 'must be the nextCursor of an earlier page of this list');
}

/** How many jobs are read at once where all of a state are. */
const pageSize = 500;

/** Every job of a state, or of those the ones with an ordering key, page by page. */
export async function* pagesIn(
  queue: Pick<DurableQueue, 'list'>,
  state: JobState | 'open',
  orderingKey?: string,
): AsyncGenerator<readonly JobRecord[], void, undefined> {
  for (let cursor: string | undefined; ;) {
    const { items, nextCursor } = await queue.list(state, { limit: pageSize, cursor, orderingKey });
    yield items;
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}

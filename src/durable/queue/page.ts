/** `toPage` and `checkCursor`: a page of a list, and where it begins. */

import { invalidOption } from '../options.js';

/** Items, oldest first, and where the next page begins. */
export type ListPage<T> = T[] & {
  /** `null` on the last page. */
  readonly nextCursor: string | null;
};

/** The cursor is not enumerable: a page compares and prints as the list of its items. */
export function toPage<T>(items: readonly T[], nextCursor: string | null): ListPage<T> {
  return Object.defineProperty([...items], 'nextCursor', { value: nextCursor }) as ListPage<T>;
}

/** A cursor that is not understood would give an empty page, as if nothing were left. */
export function checkCursor(cursor: string | undefined, pattern: RegExp): void {
  if (cursor === undefined || pattern.test(cursor)) return;
  throw invalidOption('cursor', 'must be the nextCursor of an earlier page of this list');
}

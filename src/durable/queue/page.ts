/** `toPage`: a page of a list. */

/** Items, oldest first, and where the next page begins. */
export type ListPage<T> = T[] & {
  /** `null` on the last page. */
  readonly nextCursor: string | null;
};

/** The cursor is not enumerable: a page compares and prints as the list of its items. */
export function toPage<T>(items: readonly T[], nextCursor: string | null): ListPage<T> {
  return Object.defineProperty([...items], 'nextCursor', { value: nextCursor }) as ListPage<T>;
}

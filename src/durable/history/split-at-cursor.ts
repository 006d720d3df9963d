/** `splitAtCursor`: which events of a page were read before. */

/**
 * Splits a page at the event up to which everything was read before.
 *
 * @param cursor - that event's id; `null` once it was passed
 * @returns `found`: the cursor is in this page or before it, so everything later is fresh.
 */
export function splitAtCursor<T extends { readonly id: string }>(
  items: readonly T[],
  cursor: string | null,
): { readonly overlap: readonly T[]; readonly fresh: readonly T[]; readonly found: boolean } {
  if (cursor === null) return { overlap: [], fresh: items, found: true };
  const at = items.findIndex(({ id }) => id === cursor);
  // Not in this page: all of it was read before.
  if (at === -1) return { overlap: items, fresh: [], found: false };
  return { overlap: items.slice(0, at + 1), fresh: items.slice(at + 1), found: true };
}

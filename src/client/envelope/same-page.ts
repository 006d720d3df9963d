/** `isSamePage`: whether two pages in a row hold the same items, as of a service that ignores its cursor. */

import { isDeepStrictEqual } from 'node:util';

/** An empty page may follow another one. */
export function isSamePage(items: readonly unknown[], previous: readonly unknown[]): boolean {
  return items.length > 0 && isDeepStrictEqual(items, previous);
}

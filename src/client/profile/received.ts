/** What a page's items were as received, and by which profile they were read: for what judges the JSON itself. */

import type { Profile } from './profile.js';

interface ReceivedPage {
  readonly profile: Profile;
  readonly items: readonly unknown[];
}

/** By the response of a page, which every reader passes on as it is. */
const received = new WeakMap<object, ReceivedPage>();

export function rememberReceived(
  response: object,
  profile: Profile,
  items: readonly unknown[],
): void {
  received.set(response, { profile, items });
}

export function receivedPage(response: object | undefined): ReceivedPage | undefined {
  return response && received.get(response);
}

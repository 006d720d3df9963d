/** RecentEvents: the store that `deduplicate: true` uses. */

import { checkOptions, wholeNumber } from '../../check-options.js';
import type { DeduplicationStore } from './store.js';

/** A Set holds no more. */
const table = { maxEvents: wholeNumber(1, 2 ** 24) };

/**
 * The ids of the latest events, in this process's memory: the least recently delivered ones are
 * forgotten first. `deduplicate: true` uses one with its default size.
 *
 * @example
 * ```ts
 * import { createWebhookHandler, RecentEvents } from 'market-partner-sdk/webhooks';
 *
 * createWebhookHandler({
 *   secret: 'whsec_public',
 *   deduplicate: new RecentEvents({ maxEvents: 1_000 }),
 * });
 * ```
 */
export class RecentEvents implements DeduplicationStore {
  readonly #maxEvents: number;
  /** The least recently delivered come first. */
  readonly #ids = new Set<string>();

  /** @param options - `maxEvents`: how many ids are remembered at most; default 10,000. One more, and the
   * hundredth part that was not delivered for the longest time is forgotten. */
  constructor(options: { readonly maxEvents?: number | undefined } = {}) {
    const { maxEvents = 10_000 } = checkOptions<typeof options>(table, options);
    this.#maxEvents = maxEvents;
  }

  /** Whether the event is remembered. */
  has(eventId: string): boolean {
    const isKnown = this.#ids.delete(eventId);
    if (isKnown) this.#ids.add(eventId);
    return isKnown;
  }

  /** Remembers the event's id, and forgets the least recently used ones if there are too many. */
  add(eventId: string): void {
    this.#ids.delete(eventId);
    this.#ids.add(eventId);
    if (this.#ids.size <= this.#maxEvents) return;
    // Several at once: the first of a Set is found behind all that were deleted before it.
    let surplus = Math.ceil(this.#maxEvents / 100);
    for (const id of this.#ids) {
      if (surplus === 0) return;
      this.#ids.delete(id);
      surplus -= 1;
    }
  }
}

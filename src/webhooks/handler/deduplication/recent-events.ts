/** RecentEvents: the store that `deduplicate: true` uses. */

import { LinkedList, type Linked } from '../linked-list.js';
import type { DeduplicationStore } from './store.js';

interface Entry extends Linked<Entry> {
  id: string;
}

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
  readonly #entries = new Map<string, Entry>();
  readonly #order = new LinkedList<Entry>();

  /** @param options - `maxEvents`: how many ids are remembered; default 10,000 */
  constructor({ maxEvents = 10_000 }: { readonly maxEvents?: number | undefined } = {}) {
    if (!Number.isSafeInteger(maxEvents) || maxEvents < 1) {
      throw new RangeError('"maxEvents" must be a positive integer.');
    }
    this.#maxEvents = maxEvents;
  }

  /** Whether the event is remembered. */
  has(eventId: string): boolean {
    const entry = this.#entries.get(eventId);
    if (entry === undefined) return false;
    if (entry === this.#order.newest) return true;
    this.#order.remove(entry);
    this.#order.add(entry);
    return true;
  }

  /** Remembers the event's id, and forgets the least recently used one if there are too many. */
  add(eventId: string): void {
    if (this.has(eventId)) return;
    const entry = this.#freeEntry(eventId);
    this.#entries.set(eventId, entry);
    this.#order.add(entry);
  }

  /**
   * Reuses the oldest entry when full: a new entry for each event is work for the garbage collector.
   */
  #freeEntry(id: string): Entry {
    const { oldest } = this.#order;
    if (this.#entries.size < this.#maxEvents || oldest === undefined) {
      return { id, newer: undefined, older: undefined };
    }
    this.#entries.delete(oldest.id);
    this.#order.remove(oldest);
    oldest.id = id;
    return oldest;
  }
}

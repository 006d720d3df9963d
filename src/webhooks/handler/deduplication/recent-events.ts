/** RecentEvents: the store that `deduplicate: true` uses. */

import type { DeduplicationStore } from './store.js';

/** A neighbour in the order of use. */
interface Entry {
  id: string;
  newer: Entry | undefined;
  older: Entry | undefined;
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
  /** A linked list, since finding the first key of a Map walks over all that were deleted. */
  readonly #entries = new Map<string, Entry>();
  #newest: Entry | undefined;
  #oldest: Entry | undefined;

  /** @param options - `maxEvents`: how many ids are kept; default 10,000 */
  constructor({ maxEvents = 10_000 }: { readonly maxEvents?: number | undefined } = {}) {
    if (!Number.isSafeInteger(maxEvents) || maxEvents < 1) {
      throw new RangeError('"maxEvents" must be a positive integer.');
    }
    this.#maxEvents = maxEvents;
  }

  /** Whether the event is among those that are kept. */
  has(eventId: string): boolean {
    const entry = this.#entries.get(eventId);
    if (entry === undefined) return false;
    if (entry === this.#newest) return true;
    this.#unlink(entry);
    this.#linkAsNewest(entry);
    return true;
  }

  /** Keeps the event's id, and forgets the least recently used one when there are too many. */
  add(eventId: string): void {
    if (this.has(eventId)) return;
    const entry = this.#freeEntry(eventId);
    this.#entries.set(eventId, entry);
    this.#linkAsNewest(entry);
  }

  /** The oldest entry when there are too many: a new one for each event is work for the garbage collector. */
  #freeEntry(id: string): Entry {
    const oldest = this.#oldest;
    if (this.#entries.size < this.#maxEvents || oldest === undefined) {
      return { id, newer: undefined, older: undefined };
    }
    this.#entries.delete(oldest.id);
    this.#unlink(oldest);
    oldest.id = id;
    return oldest;
  }

  #linkAsNewest(entry: Entry): void {
    entry.older = this.#newest;
    if (this.#newest !== undefined) this.#newest.newer = entry;
    this.#newest = entry;
    this.#oldest ??= entry;
  }

  #unlink(entry: Entry): void {
    if (entry.newer === undefined) this.#newest = entry.older;
    else entry.newer.older = entry.older;
    if (entry.older === undefined) this.#oldest = entry.newer;
    else entry.older.newer = entry.newer;
    entry.newer = undefined;
    entry.older = undefined;
  }
}

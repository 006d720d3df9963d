/** Events are delivered more than once (specification, part 6, Delivery): running their handlers once. */

/**
 * Remembers which events are done. Back it with a table or a cache that all processes share; a
 * `Set<string>` is one too, without a bound.
 *
 * @example
 * ```ts
 * import { createWebhookHandler, type DeduplicationStore } from 'market-partner-sdk/webhooks';
 *
 * declare const database: { query(sql: string, values: string[]): Promise<{ rowCount: number }> };
 *
 * const store: DeduplicationStore = {
 *   has: async (id) =>
 *     (await database.query('select 1 from done_events where id = $1', [id])).rowCount > 0,
 *   add: (id) => database.query('insert into done_events values ($1) on conflict do nothing', [id]),
 * };
 * createWebhookHandler({ secret: 'whsec_public', deduplicate: store });
 * ```
 */
export interface DeduplicationStore {
  /** Whether the event with this id is done. A failure is answered 500, so that it is delivered again. */
  has(eventId: string): boolean | PromiseLike<boolean>;
  /** Remembers that the event with this id is done. A failure is reported; the event stays done. */
  add(eventId: string): unknown;
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
  /** In the order of their last use: a Set keeps insertion order. */
  readonly #ids = new Set<string>();

  /** @param options - `maxEvents`: how many ids are kept, 10,000 unless told. */
  constructor({ maxEvents = 10_000 }: { readonly maxEvents?: number | undefined } = {}) {
    if (!Number.isSafeInteger(maxEvents) || maxEvents < 1) {
      throw new RangeError('"maxEvents" must be a positive integer.');
    }
    this.#maxEvents = maxEvents;
  }

  /** Whether the event is among those that are kept. */
  has(eventId: string): boolean {
    if (!this.#ids.delete(eventId)) return false;
    this.#ids.add(eventId);
    return true;
  }

  /** Keeps the event's id, and forgets the least recently used one when there are too many. */
  add(eventId: string): void {
    this.#ids.delete(eventId);
    this.#ids.add(eventId);
    for (const oldest of this.#ids) {
      if (this.#ids.size <= this.#maxEvents) break;
      this.#ids.delete(oldest);
    }
  }
}

/**
 * Wraps a task so that it runs once for each id: copies that arrive while it runs share its result,
 * and copies that arrive after it resolved do nothing. An id is done only when its task resolved.
 *
 * @param onStoreFailure - Is told, once, when the store failed: to answer (the copies get the
 * failure) or to remember an id whose task has resolved (the copies do not).
 */
export function onceForEach<Item extends { readonly id: string }>(
  store: DeduplicationStore,
  task: (item: Item) => Promise<void>,
  onStoreFailure: (error: unknown, item: Item, status: 200 | 500) => void,
): (item: Item) => Promise<void> {
  const running = new Map<string, Promise<void>>();

  return (item) => {
    const shared = running.get(item.id);
    if (shared !== undefined) return shared;
    const started = run(item).finally(() => running.delete(item.id));
    running.set(item.id, started);
    return started;
  };

  async function run(item: Item): Promise<void> {
    if (await isDone(item)) return;
    await task(item);
    try {
      await store.add(item.id);
    } catch (error) {
      // The work is done. Failing here would only have it done once more.
      onStoreFailure(error, item, 200);
    }
  }

  async function isDone(item: Item): Promise<boolean> {
    try {
      return await store.has(item.id);
    } catch (error) {
      onStoreFailure(error, item, 500);
      throw error;
    }
  }
}

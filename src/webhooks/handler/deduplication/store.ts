/** DeduplicationStore: what remembers which events are done. */

/**
 * Remembers which events are done. `deduplicate: true` remembers them in memory; your own store can
 * remember them longer. A `Set<string>` is also a store, but it grows without limit. Two processes that
 * get copies of an event at the same time both run its listener: the durable inbox of
 * `market-partner-sdk/durable` is for several processes.
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
  /**
   * Whether the event with this id is done. After a failure the response is 500, after a call that
   * does not settle within `timeoutMs` 503: the service delivers again.
   */
  has(eventId: string): boolean | PromiseLike<boolean>;
  /**
   * Records that the event with this id is done. Its listener has resolved, so the response is
   * 200 even if this fails or does not settle within `timeoutMs`; both are reported.
   */
  add(eventId: string): unknown;
}

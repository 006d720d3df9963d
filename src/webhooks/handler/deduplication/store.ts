/** DeduplicationStore: what remembers which events are done. */

/**
 * Remembers which events are done, for one process or for several. With `claim`, several processes
 * that get copies of one event at the same time run its listener once; `redisStore` and
 * `postgresStore` have it. A `Set<string>` is a store too, without a bound.
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
   * Whether the event with this id is done. Not called when there is `claim`. A failure is answered
   * 500 and a call that does not settle within `timeoutMs` 503: the service delivers again.
   */
  has(eventId: string): boolean | PromiseLike<boolean>;
  /**
   * Records that the event with this id is done. Its listener has resolved, so a failure or a call
   * that does not settle within `timeoutMs` is reported and answered 200.
   */
  add(eventId: string): unknown;
  /**
   * Atomically takes the event for `ttlMs` milliseconds: `'claimed'` runs the listener, `'done'` is
   * answered 200, and `'busy'`, when another process has it, 503 so that the event comes again.
   */
  claim?(eventId: string, ttlMs: number): ClaimResult | PromiseLike<ClaimResult>;
  /** Gives a claim back after the listener failed, so that the next delivery need not wait for its end. */
  release?(eventId: string): unknown;
}

/** What came of a claim. */
export type ClaimResult = 'claimed' | 'done' | 'busy';

/** `createRecovery`: adds the intents that the partner's own records have and the outbox does not. */

import { summarizeError } from '../callbacks.js';
import { OutboxConflictError } from '../errors.js';
import type { OutboxSettings } from './outbox-options.js';
import type { OutboxStore } from './outbox-store.js';
import type { OrderIntent } from './outbox-types.js';
import { toStoredIntent, type StoredIntent } from './stored-intent.js';

/** Intents in one write. With one each, a long list of them delays those at its end. */
const batchSize = 200;

export function createRecovery<Tx, AddTx>(
  { market, recover, time, logger }: OutboxSettings<Tx, AddTx>,
  store: OutboxStore<Tx, AddTx>,
): () => Promise<void> {
  return async () => {
    const intents: OrderIntent[] = [];
    try {
      // To its end, before anything is written: it may be a cursor on the very connection of the engine.
      for await (const intent of recover?.() ?? []) intents.push(intent);
    } finally {
      // A row that cannot be read must not hold back those before it.
      for (let at = 0; at < intents.length; at += batchSize) {
        await addAll(intents.slice(at, at + batchSize));
      }
    }
  };

  async function addAll(batch: readonly OrderIntent[]): Promise<void> {
    const missing = new Map<string, StoredIntent>();
    for (const intent of batch) await logFailure(intent, () => collect(intent, missing));
    for (const key of await store.addMissing([...missing.values()])) missing.delete(key);
    for (const stored of missing.values()) {
      await logFailure(stored, () => store.checkSame(stored));
    }
  }

  function collect(intent: OrderIntent, missing: Map<string, StoredIntent>): void {
    const stored = toStoredIntent(market.orders, intent, time.clock());
    const duplicate = missing.get(stored.key);
    if (duplicate !== undefined && duplicate.sha256 !== stored.sha256) {
      throw new OutboxConflictError(stored.key);
    }
    missing.set(stored.key, stored);
  }

  /** An intent that cannot be added must not hold back the payments after it. */
  async function logFailure(intent: OrderIntent, add: () => Promise<void> | void): Promise<void> {
    try {
      await add();
    } catch (error) {
      const { key } = Object(intent) as OrderIntent;
      logger.error('A sale of "recover" was not added.', { key, error: summarizeError(error) });
    }
  }
}

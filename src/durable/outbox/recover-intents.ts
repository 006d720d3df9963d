/** `createRecovery`: adds the intents that the partner's own records have and the outbox has not. */

import type { DurableQueue } from '../queue/engine.js';
import { OutboxConflictError } from '../errors.js';
import type { OutboxSettings } from './outbox-options.js';
import type { OrderIntent } from './outbox-types.js';
import { finalIntent, toJob, type StoredIntent } from './stored-intent.js';

/** Intents in one write. With one each, a long list of them delays those at its end. */
const batchSize = 200;

/** @param checkSame - rejects where the key is known with another order */
export function createRecovery<Tx, AddTx>(
  { options, time, logger }: OutboxSettings<Tx, AddTx>,
  queue: () => Promise<DurableQueue<Tx, AddTx>>,
  checkSame: (stored: StoredIntent) => Promise<void>,
): () => Promise<void> {
  return async () => {
    let batch: OrderIntent[] = [];
    for await (const intent of options.recover?.() ?? []) {
      batch.push(intent);
      if (batch.length < batchSize) continue;
      await addAll(batch);
      batch = [];
    }
    if (batch.length > 0) await addAll(batch);
  };

  async function addAll(batch: readonly OrderIntent[]): Promise<void> {
    const missing = new Map<string, StoredIntent>();
    for (const intent of batch) {
      await logFailure(intent, async () => {
        const stored = await finalIntent(options.market, intent, time.clock());
        const twin = missing.get(stored.key);
        if (twin !== undefined && twin.sha256 !== stored.sha256) {
          throw new OutboxConflictError(stored.key);
        }
        missing.set(stored.key, stored);
      });
    }
    const { added } = await (await queue()).enqueue([...missing.values()].map(toJob));
    for (const key of added) missing.delete(key);
    for (const stored of missing.values()) await logFailure(stored, () => checkSame(stored));
  }

  /** An intent that cannot be added must not hold back the payments after it. */
  async function logFailure(intent: OrderIntent, add: () => Promise<void>): Promise<void> {
    try {
      await add();
    } catch (error) {
      const { key } = Object(intent) as OrderIntent;
      logger.error('An intent of "recover" was not added.', { key, error: String(error) });
    }
  }
}

/** `createResolver`: a person's word on an intent in `attention`. */

import type { DurableQueue } from '../engine/engine.js';
import { DurableConfigurationError } from '../errors.js';
import { readIntent } from './outbox-entry.js';
import type { OutboxSettings } from './outbox-options.js';
import type { OutboxEntry, StoredVerdict } from './outbox-types.js';
import type { StoredReport } from './place-order.js';
import type { StoredIntent } from './stored-intent.js';

export type Resolution = { readonly placed: string } | { readonly refused: string } | 'retry';

/** The two queues of the outbox, and what it stores in them. */
interface OutboxStore<Tx, AddTx> {
  readonly intents: () => Promise<DurableQueue<Tx, AddTx>>;
  readonly verdicts: () => Promise<DurableQueue<Tx, AddTx>>;
  readonly get: (key: string) => Promise<OutboxEntry | undefined>;
  readonly report: (key: string, stored: StoredReport) => Promise<void>;
  readonly reported: (key: string) => Promise<StoredReport | undefined>;
}

export function createResolver<Tx, AddTx>(
  { options }: OutboxSettings<Tx, AddTx>,
  { intents, verdicts, get, report, reported }: OutboxStore<Tx, AddTx>,
): (key: string, as: Resolution) => Promise<void> {
  return resolve;

  async function resolve(key: string, as: Resolution): Promise<void> {
    const entry = await get(key);
    if (entry?.state !== 'attention') {
      const state = entry === undefined ? 'unknown' : entry.state;
      throw new DurableConfigurationError(
        `"${key}" is ${state}: only an intent in attention is resolved.`,
      );
    }
    if (entry.attention?.reason === 'handler_failed') return resolveReport(key, as);
    const queue = await intents();
    if (as === 'retry') {
      await queue.retry(key);
      return;
    }
    const job = (await queue.find([key])).get(key);
    const intent = job && readIntent(job);
    if (intent === undefined) throw new DurableConfigurationError(`"${key}" cannot be read.`);
    const stored = { intent, verdict: await verdictOf(as, intent) };
    await report(key, stored);
    await queue.settle(key, JSON.stringify(stored));
  }

  /** The verdict stands: a person runs its callback again, or says that it is not needed. */
  async function resolveReport(key: string, as: Resolution): Promise<void> {
    const queue = await verdicts();
    if (as === 'retry') await queue.retry(key);
    else await queue.settle(key, JSON.stringify(await reported(key)));
  }

  async function verdictOf(
    as: { readonly placed: string } | { readonly refused: string },
    { order }: StoredIntent,
  ): Promise<StoredVerdict> {
    if ('refused' in as) {
      const refusal = { reason: 'resolved', message: as.refused, confirmed: 'person' } as const;
      return { state: 'refused', refusal };
    }
    const placed = await options.market.orders.get(as.placed);
    if (placed.domain.toLowerCase() !== order.domain) {
      throw new DurableConfigurationError(
        `The order ${as.placed} is for ${placed.domain}, the intent for ${order.domain}.`,
      );
    }
    return { state: 'placed', order: placed };
  }
}

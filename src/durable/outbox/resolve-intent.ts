/** `createResolver`: a person's word on an intent in `attention`. */

import type { DurableQueue } from '../queue/engine.js';
import { DurableConfigurationError } from '../errors.js';
import { readIntent } from './outbox-entry.js';
import type { OutboxSettings } from './outbox-options.js';
import type { OutboxEntry, StoredVerdict } from './outbox-types.js';
import type { StoredReport } from './place-order.js';
import type { StoredIntent } from './stored-intent.js';
import { verdictName } from './verdict-name.js';

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
    const isHandlerFailed = entry.attention?.reason === 'handler_failed';
    const told = await reported(key);
    if (told !== undefined && !(isHandlerFailed && as === 'retry')) checkAgrees(key, as, told);
    const queue = await (isHandlerFailed ? verdicts() : intents());
    if (as === 'retry') {
      checkChanged(key, await queue.retry(key));
      return;
    }
    const stored = told ?? (await store(key, as));
    checkChanged(key, await queue.complete(key, JSON.stringify(stored)));
  }

  /** Stores a person's word as the verdict, unless another one was first. */
  async function store(key: string, as: Exclude<Resolution, 'retry'>): Promise<StoredReport> {
    const job = (await (await intents()).find([key])).get(key);
    const intent = job && readIntent(job);
    if (intent === undefined) throw new DurableConfigurationError(`"${key}" cannot be read.`);
    const stored = { intent, verdict: await verdictOf(as, intent) };
    await report(key, stored);
    const kept = (await reported(key)) ?? stored;
    checkAgrees(key, as, kept);
    return kept;
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

function checkAgrees(key: string, as: Resolution, { verdict }: StoredReport): void {
  const told = verdictName(verdict);
  const word = as === 'retry' ? as : 'placed' in as ? `placed ${as.placed}` : 'refused';
  if (word === told) return;
  throw new DurableConfigurationError(
    `"${key}" was told as ${told}, which stands: "${word}" would contradict it.`,
  );
}

function checkChanged(key: string, isChanged: boolean): void {
  if (isChanged) return;
  throw new DurableConfigurationError(
    `"${key}" is no longer in attention: another has resolved it. Read its state again.`,
  );
}

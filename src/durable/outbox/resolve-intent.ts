/** `createResolver`: an operator's decision on an intent in `attention`. */

import { isOtherDomain } from '../../client/sale/compare-fields.js';
import { DurableConfigurationError, DurableStateError } from '../errors.js';
import type { OutboxSettings } from './outbox-options.js';
import type { OutboxStore } from './outbox-store.js';
import type { StoredIntent } from './stored-intent.js';
import { verdictName, type StoredVerdict } from './stored-verdict.js';

/**
 * An operator's decision: the `public_id` of the order that belongs to the intent, the reason why there
 * is none, or that it is tried again under the same key.
 */
export type Resolution = { readonly placed: string } | { readonly refused: string } | 'retry';

export function createResolver<Tx, AddTx>(
  { options }: OutboxSettings<Tx, AddTx>,
  store: OutboxStore<Tx, AddTx>,
): (key: string, as: Resolution) => Promise<void> {
  return resolve;

  async function resolve(key: string, as: Resolution): Promise<void> {
    checkResolution(as);
    if (as === 'retry') return retryIntent(store, key);
    const { intent, queue, reportedVerdict } = await findAttention(store, key);
    if (reportedVerdict !== undefined) checkAgrees(key, as, reportedVerdict);
    const verdict = reportedVerdict ?? (await storeDecision(intent, as));
    const output = JSON.stringify({ intent, verdict });
    if (!(await queue.complete(key, output, verdict.state))) throw resolvedConcurrently(key);
  }

  /** Stores the decision as the verdict, unless another one was first. */
  async function storeDecision(
    intent: StoredIntent,
    as: Exclude<Resolution, 'retry'>,
  ): Promise<StoredVerdict> {
    const storedVerdict = await store.storeVerdict(intent, await toVerdict(as, intent));
    checkAgrees(intent.key, as, storedVerdict);
    return storedVerdict;
  }

  async function toVerdict(
    as: Exclude<Resolution, 'retry'>,
    { order }: StoredIntent,
  ): Promise<StoredVerdict> {
    if ('refused' in as) {
      const refusal = { reason: 'resolved', message: as.refused, confirmed: 'operator' } as const;
      return { state: 'refused', refusal };
    }
    const placed = await options.market.orders.get(as.placed);
    if (isOtherDomain(placed.domain, order.domain)) {
      throw new DurableStateError(
        `The order ${as.placed} is for ${placed.domain}, the intent for ${order.domain}.`,
      );
    }
    return { state: 'placed', order: placed };
  }
}

/** Sends an intent in attention again, or runs the callback of its verdict again. */
export async function retryIntent<Tx, AddTx>(
  store: OutboxStore<Tx, AddTx>,
  key: string,
): Promise<void> {
  const { queue, isHandlerFailed, reportedVerdict } = await findAttention(store, key);
  if (reportedVerdict !== undefined && !isHandlerFailed) {
    checkAgrees(key, 'retry', reportedVerdict);
  }
  if (!(await queue.retry(key))) throw resolvedConcurrently(key);
}

async function findAttention<Tx, AddTx>(store: OutboxStore<Tx, AddTx>, key: string) {
  const entry = await store.get(key);
  const intent = await store.findIntent(key);
  if (entry?.state !== 'attention' || intent === undefined) {
    const state = entry === undefined ? 'unknown' : entry.state;
    throw new DurableStateError(`"${key}" is ${state}: only an intent in attention is resolved.`);
  }
  const isHandlerFailed = entry.attention?.reason === 'handler_failed';
  const { verdict: reportedVerdict } = await store.findFacts(key);
  const queue = await (isHandlerFailed ? store.verdicts : store.intents).openQueue();
  return { intent, queue, isHandlerFailed, reportedVerdict };
}

function checkResolution(as: unknown): void {
  if (as === 'retry') return;
  const { placed, refused, ...others } = Object(as) as Record<string, unknown>;
  const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
  const isOne = isText(placed) ? refused === undefined : placed === undefined && isText(refused);
  if (isOne && Object.keys(others).length === 0) return;
  throw new DurableConfigurationError(
    'Resolve with { placed: "<public_id>" }, { refused: "<reason>" } or "retry".',
  );
}

function checkAgrees(key: string, as: Resolution, verdict: StoredVerdict): void {
  const reported = verdictName(verdict);
  const requested = requestedName(as);
  if (requested === reported) return;
  throw new DurableStateError(
    `"${key}" was already reported as ${reported}; "${requested}" would contradict that.`,
  );
}

function requestedName(as: Resolution): string {
  if (as === 'retry') return as;
  return 'placed' in as ? `placed ${as.placed}` : 'refused';
}

function resolvedConcurrently(key: string): DurableStateError {
  return new DurableStateError(
    `"${key}" is no longer in attention: it was resolved concurrently. Read its state again.`,
  );
}

/** `createResolver`: your team's decision on a sale, or on its refund, in `attention`. */

import { isOtherDomain } from '../../client/sale/compare-fields.js';
import { isOrder } from '../../client/sale/match-orders.js';
import * as z from 'zod/mini';
import { ruled } from '../../core/schema/must.js';
import { lazily, text } from '../../core/schema/options.js';
import { DurableStateError } from '../errors.js';
import { checkDurableOptions, reason } from '../options.js';
import type { OutboxSettings } from './outbox-options.js';
import type { OutboxStore } from './outbox-store.js';
import { idOf, type Subject } from './stored-intent.js';
import {
  verdictName,
  withoutBuyer,
  type FinalVerdict,
  type StoredVerdict,
} from './stored-verdict.js';

/**
 * Your team's decision. On a sale: the `public_id` of the order that belongs to it, the reason why there is none,
 * or that it is tried again under the same key. On a refund: that the service has made it or has not, with a
 * note of who says so, or that it is sent once more, which refunds twice if the first request succeeded.
 */
export type Resolution =
  | { readonly placed: string }
  | { readonly refused: string }
  | { readonly refunded: string }
  | { readonly notRefunded: string }
  | 'retry';

type Decision = Exclude<Resolution, 'retry'>;

export function createResolver<Tx, AddTx>(
  settings: OutboxSettings<Tx, AddTx>,
  store: OutboxStore<Tx, AddTx>,
): (key: string, as: Resolution) => Promise<void> {
  const { market, time } = settings;
  return resolve;

  async function resolve(key: string, given: Resolution): Promise<void> {
    const as = checkDurableOptions(resolutionSchema, given, 'as');
    if (as === 'retry') return retryIntent(store, key, time.clock());
    const found = await findAttention(store, key);
    const { subject, queue, reportedVerdict } = found;
    checkSubject(key, as, subject);
    if (reportedVerdict !== undefined) checkAgrees(key, as, reportedVerdict);
    const verdict = reportedVerdict ?? (await storeDecision(found, as));
    const output = JSON.stringify(withoutBuyer({ ...subject, verdict }));
    if (!(await queue.complete(idOf(subject), output, verdict.state))) {
      throw resolvedConcurrently(key);
    }
  }

  /** Stores the decision as the result, unless another one was first. */
  async function storeDecision(found: Found, as: Decision): Promise<StoredVerdict> {
    const { subject } = found;
    const storedVerdict = await store.storeVerdict(subject, await toVerdict(as, found));
    checkAgrees(subject.intent.key, as, storedVerdict);
    return storedVerdict;
  }

  async function toVerdict(as: Decision, { subject, sale }: Found): Promise<FinalVerdict> {
    if ('refused' in as) {
      const refusal = { reason: 'resolved', message: as.refused, confirmed: 'operator' } as const;
      return { state: 'refused', refusal };
    }
    if ('notRefunded' in as) {
      const message = as.notRefunded;
      return { state: 'not_refunded', notRefunded: { reason: 'resolved', message } };
    }
    if ('refunded' in as) {
      if (sale?.state === 'placed') return { state: 'refunded', order: sale.order };
      throw new DurableStateError(`The sale "${subject.intent.key}" has no order to refund.`);
    }
    const { domain } = subject.intent.order;
    const placed = await market.orders.get(as.placed);
    if (!isOrder(placed, as.placed)) {
      throw new DurableStateError(`The response to orders.get("${as.placed}") states no such id.`);
    }
    if (isOtherDomain(placed.domain, domain)) {
      throw new DurableStateError(
        `The order ${as.placed} is for ${placed.domain}, the sale for ${domain}.`,
      );
    }
    return { state: 'placed', order: placed };
  }
}

/** Sends what is in attention again, or runs the callback of its result again. */
export async function retryIntent<Tx, AddTx>(
  store: OutboxStore<Tx, AddTx>,
  key: string,
  now: number,
): Promise<void> {
  const { subject, queue, isHandlerFailed, reportedVerdict } = await findAttention(store, key);
  if (reportedVerdict !== undefined && !isHandlerFailed) {
    checkAgrees(key, 'retry', reportedVerdict);
  }
  if (subject.refund !== undefined && !isHandlerFailed) await store.endDoubt(key, now);
  if (!(await queue.retry(idOf(subject)))) throw resolvedConcurrently(key);
}

type Found = Awaited<ReturnType<typeof findAttention>>;

async function findAttention<Tx, AddTx>(store: OutboxStore<Tx, AddTx>, key: string) {
  const entry = await store.get(key);
  const { intent, refund, ...found } = await store.findSale(key);
  if (entry?.state !== 'attention' || intent === undefined) {
    const state = entry === undefined ? 'unknown' : entry.state;
    throw new DurableStateError(`"${key}" is ${state}: only a sale in attention is resolved.`);
  }
  const subject: Subject = found.isSaleInAttention ? { intent } : { intent, refund };
  const isHandlerFailed = entry.attention?.reason === 'handler_failed';
  const reportedVerdict = subject.refund === undefined ? found.sale : found.refunded;
  const queue = await (isHandlerFailed ? store.verdicts : store.intents).openQueue();
  return { subject, queue, isHandlerFailed, reportedVerdict, sale: found.sale };
}

const ofSale = ['placed', 'refused'];
const ofRefund = ['refunded', 'notRefunded'];

const resolutionSchema = lazily(() => {
  const rule = ruled(
    'must be { placed: "<public_id>" }, { refused: "<reason>" } or "retry", and for a refund { refunded: "<reason>" }, { notRefunded: "<reason>" } or "retry"',
  );
  const decisions = [
    z.strictObject({ placed: text() }, rule),
    z.strictObject({ refused: reason() }, rule),
    z.strictObject({ refunded: reason() }, rule),
    z.strictObject({ notRefunded: reason() }, rule),
  ] as const;
  return z.union([z.literal('retry'), ...decisions], rule);
});

function checkSubject(key: string, as: Decision, { refund }: Subject): void {
  const names = refund === undefined ? ofSale : ofRefund;
  if (names.some((name) => name in as)) return;
  const [what, not, one, other] =
    refund === undefined ? ['sale', 'refund', ...ofSale] : ['refund', 'sale', ...ofRefund];
  throw new DurableStateError(
    `The ${what} of "${key}" needs attention, not the ${not}. Resolve it with { ${one} } or { ${other} }.`,
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
  if ('placed' in as) return `placed ${as.placed}`;
  if ('refused' in as) return 'refused';
  return 'refunded' in as ? 'refunded' : 'not_refunded';
}

function resolvedConcurrently(key: string): DurableStateError {
  return new DurableStateError(
    `"${key}" is no longer in attention, because it was resolved concurrently. Read its state again.`,
  );
}

/**
 * `createRefunder`: what one attempt of a refund decides.
 *
 * A refund is one more job of the queue of sales, with the ordering key of its sale: it is claimed once the
 * sale has ended, with whatever result. `POST /refunds` takes no Idempotency-Key, so a request is sent only if
 * it is certain that no earlier one did anything. What is stored, in this order:
 *
 * | what                              | when                                              | proves                              |
 * | --------------------------------- | ------------------------------------------------- | ----------------------------------- |
 * | job `<key> refund`                | in `refund`, with the partner's own write          | the refund is wanted, once          |
 * | note `<key> refund_sent <n>`      | before request n, by the one process that stores it | request n may have been done        |
 * | note `<key> refund_received <n>`  | after a 2xx                                        | the service has request n           |
 * | note `<key> refund_unsent <n>`    | after `not_sent` or `rejected`, or by `resolve`    | request n did nothing: n + 1 may go |
 * | result `<key> refund`            | once the end is certain                           | how it ended; its callback is due   |
 *
 * The sale has no order: `not_refunded`. Otherwise, with no request in doubt, the order is read, since it may be
 * refunded or too far already, and then the request is sent. A 2xx says that it was received, and no more. From
 * then on it only reads, as `orders.resumeRefund` does, until the order or the history shows the end: for days if
 * the request was received, else until none can arrive any longer. Then your team asks the service, since a repeat
 * may pay twice.
 */

import { undecided } from '../../client/sale/decide-verdict.js';
import { isOrder } from '../../client/sale/match-orders.js';
import {
  isDeniedFor,
  isRefusedWrite,
  judgeRefund,
  readReceipt,
  readReceived,
  refundOf,
  type ReceivedRefund,
} from '../../client/sale/judge-refund.js';
import type { Order, OrderDetail } from '../../client/model/orders.js';
import { startAge } from '../../core/time/sleep.js';
import type { ClaimedJob } from '../queue/job.js';
import {
  findObstacle,
  patienceLeftMs,
  reachInTime,
  type OpenVerdict,
  type OutboxActivity,
} from './attempt.js';
import { attentionMessages } from './attention-message.js';
import { quietMs } from './cancel-intent.js';
import { decideOpen, escalate, reasonOf, type Decision } from './decide.js';
import type { OutboxSettings } from './outbox-options.js';
import type { OutboxStore, RefundFacts } from './outbox-store.js';
import type { NotRefunded } from './outbox-types.js';
import { refundId, type StoredRefund } from './stored-intent.js';
import type { FinalVerdict } from './stored-verdict.js';

/** What an attempt found out. */
type Reached =
  | Extract<FinalVerdict, { readonly state: 'refunded' | 'not_refunded' }>
  | OpenVerdict
  /** A request may have been done, and nothing shows it. */
  | { readonly state: 'not_visible'; readonly sentAt: number; readonly isReceived: boolean };

/** The order of the sale, and the request that is asked for. */
interface Wanted {
  readonly key: string;
  readonly placed: Order;
  readonly reason: string;
  readonly signal: AbortSignal;
}

/** People decide on refunds: how long one that was received may take before manual review. */
const receivedForMs = 3 * 86_400_000;
/** The longest pause between two looks for a received refund. */
const longestLookPauseMs = 6 * 3_600_000;

/** A process that stood still for longer has lost its lease, and must not send what it was about to. */
const longestPauseMs = 10_000;

export function createRefunder<Tx, AddTx>(
  settings: OutboxSettings<Tx, AddTx>,
  store: OutboxStore<Tx, AddTx>,
  activity: OutboxActivity,
): (job: ClaimedJob<Tx>, refund: StoredRefund, facts: RefundFacts) => Promise<Decision> {
  const { market, time, escalateAfterMs } = settings;

  return async (job, refund, facts) => {
    const { refundOf: key } = refund;
    const { sale } = facts;
    // The ordering key holds a refund back until its sale is decided, so this is a lost result.
    if (sale === undefined) throw new Error(`The sale "${key}" has no result.`);
    if (sale.state !== 'placed') {
      const why = sale.state === 'refused' ? `: ${sale.refusal.message}` : '.';
      return conclude(notRefunded('no_order', `The sale has no order to refund${why}`));
    }
    const reached =
      (await findObstacle(settings, activity)) ??
      (await reachInTime(settings, job, { key, cause: refund.trace }, (signal) =>
        reach({ key, placed: sale.order, reason: refund.reason, signal }, facts),
      ));
    return toDecision(key, patienceLeftMs(settings, job), reached);
  };

  function toDecision(key: string, patienceMs: number, reached: Reached): Decision {
    switch (reached.state) {
      case 'refunded':
      case 'not_refunded':
        return conclude(reached);
      case 'open':
        return decideOpen(reached, patienceMs, (lastError) =>
          escalate(
            'not_refunded_in_time',
            attentionMessages.refundOverdue(key, escalateAfterMs, lastError),
          ),
        );
      case 'not_visible': {
        const { sentAt, isReceived } = reached;
        // A time in the future was stored before the clock was set back.
        const ageMs = Math.max(0, time.clock() - sentAt);
        const forMs = isReceived ? Math.max(receivedForMs, escalateAfterMs) : quietMs;
        if (ageMs >= forMs) {
          return escalate('not_visible', attentionMessages.notVisible(key, isReceived));
        }
        const error = 'The refund was sent, and nothing shows it yet. The outbox looks again.';
        const leastMs = isReceived ? Math.min(ageMs / 4, longestLookPauseMs) : 0;
        return { action: 'retry', leastMs, mostMs: forMs - ageMs, error };
      }
    }
  }

  async function reach(wanted: Wanted, { inDoubt, received, sent }: RefundFacts): Promise<Reached> {
    if (inDoubt !== undefined) return look(wanted, inDoubt.at, received);
    try {
      const order = await readOrder(wanted);
      return judge(order) ?? (await send(wanted, order, sent + 1));
    } catch (error) {
      return undecided(error);
    }
  }

  /** What the order shows, before anything is sent. */
  async function readOrder({ placed, signal }: Wanted): Promise<OrderDetail> {
    const order = await market.orders.get(placed.public_id, { signal });
    if (!isOrder(order, placed.public_id)) {
      throw new Error(`GET /orders/${placed.public_id} returned no order with this id.`);
    }
    return order;
  }

  function judge(order: OrderDetail): Reached | undefined {
    switch (judgeRefund(order)) {
      case 'refunded':
        return { state: 'refunded', order };
      case 'too_late':
        return notRefunded('too_late', tooLate(order));
      case undefined:
        return undefined;
    }
  }

  async function send(wanted: Wanted, order: OrderDetail, request: number): Promise<Reached> {
    const { key, reason, signal } = wanted;
    const at = time.clock();
    const age = startAge(time);
    const isOurs = await store.storeNote(refundId(key), { note: 'refund_sent', at, request });
    if (!isOurs) return undecided(new Error('Another process sends this refund.'));
    try {
      signal.throwIfAborted();
      if (age() > longestPauseMs) throw new Error('This process stood still.');
    } catch (error) {
      await unsend(key, request);
      return undecided(error);
    }
    let receipt: ReceivedRefund | undefined;
    try {
      receipt = readReceived(await market.orders.refund(refundOf(order, reason), { signal }));
    } catch (error) {
      receipt = readReceipt(error);
      if (receipt === undefined) return await judgeError(wanted, { at, request, error });
    }
    // From now on it is nobody's to send again.
    const note = { note: 'refund_received', at, request, ...receipt } as const;
    await store.storeNote(refundId(key), note);
    return look(wanted, at, receipt);
  }

  async function judgeError(
    wanted: Wanted,
    { at, request, error }: { at: number; request: number; error: unknown },
  ): Promise<Reached> {
    const { outcome } = Object(error) as { outcome?: unknown };
    if (outcome !== 'not_sent' && outcome !== 'rejected') return look(wanted, at);
    await unsend(wanted.key, request);
    if (!isRefusedWrite(error)) return undecided(error);
    // It may be refused because it is refunded: by the service's staff, or by another program.
    const shown = judge(await readOrder(wanted));
    return shown ?? notRefunded('refused', `The service refused the refund: ${reasonOf(error)}.`);
  }

  async function unsend(key: string, request: number): Promise<void> {
    const at = time.clock();
    await store.storeNote(refundId(key), { note: 'refund_unsent', at, request });
  }

  /** Sends nothing. @param receipt - what the service said of the request, if it has it */
  async function look(
    { placed, reason, signal }: Wanted,
    sentAt: number,
    receipt?: ReceivedRefund,
  ): Promise<Reached> {
    const input = { public_id: placed.public_id, reason };
    const resumed = await market.orders.resumeRefund({ input, startedAt: sentAt }, { signal });
    if (resumed.state === 'refunded') return { state: 'refunded', order: resumed.order };
    if (resumed.state === 'open') return undecided(resumed.error);
    const order = 'order' in resumed ? resumed.order : undefined;
    if (receipt === undefined && resumed.state === 'refused') {
      return notRefunded('too_late', tooLate(order ?? placed));
    }
    if (receipt?.denied !== undefined && order !== undefined && isDeniedFor(order, receipt)) {
      const message = `The service says "${receipt.denied}" of the refund, and the order ${placed.public_id} is ${order.status}.`;
      return notRefunded('refused', message);
    }
    return { state: 'not_visible', sentAt, isReceived: receipt !== undefined };
  }
}

function conclude(verdict: FinalVerdict): Decision {
  return { action: 'store', verdict };
}

function notRefunded(reason: NotRefunded['reason'], message: string) {
  return { state: 'not_refunded', notRefunded: { reason, message } } as const;
}

function tooLate({ public_id: id, status }: Order): string {
  return `The order ${id} is ${status}: a partner can refund it only before TRANSFER_COMPLETED.`;
}

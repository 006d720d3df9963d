/** `judgeRefund`: what an order says about its refund. The others: what the response to a refund says. */

import { hasReached, isDenied, isTakenBack } from '../assumptions.js';
import { readError } from '../../core/errors/read-error.js';
import { isRecord } from '../../core/json.js';
import { hasMappedStatus } from '../profile/to-ours.js';
import { withSource } from '../profile/to-theirs.js';
import type { Order, OrderDetail, RefundInput } from '../model/orders.js';
import { isRefusal } from './decide-verdict.js';

/**
 * What an order proves. `undefined`: nothing, as one that is not refunded yet looks the same. A status that a profile
 * mapped proves no refund: a wrong word there would pay a buyer back.
 */
export function judgeRefund(order: Partial<OrderDetail>) {
  const { status, timeline } = order;
  if (typeof status !== 'string') return undefined;
  const isRefunded =
    (isTakenBack(status) && !hasMappedStatus(order)) ||
    (Array.isArray(timeline) &&
      timeline.some((step) => isRecord(step) && step.event === 'order.refunded'));
  if (isRefunded) return 'refunded';
  return hasReached(status, 'TRANSFER_COMPLETED') ? 'too_late' : undefined;
}

/** The refund of an order that was just read: a profile may copy fields of it. */
export function refundOf(order: Order, reason: string): RefundInput {
  return withSource({ public_id: order.public_id, reason }, order);
}

/** Whether the service refused a write with a reason, about the write and not about its credential. */
export function isRefusedWrite(error: unknown): boolean {
  const { code, status, outcome } = readError(error);
  return outcome === 'rejected' && status !== 404 && isRefusal(status, code);
}

/** What the service says in the response to a refund: that it has the request, and perhaps that it will not be done. */
export interface ReceivedRefund {
  /** The word that says that it failed: `"rejected"`. */
  readonly denied?: string | undefined;
}

/** A 2xx is a request received, whatever it says of its end (specification, part 4.4). */
export function readReceived(refund: unknown): ReceivedRefund {
  const { status, state } = isRecord(refund) ? refund : {};
  const denied = [status, state].find(
    (word): word is string => typeof word === 'string' && isDenied(word),
  );
  return denied === undefined ? {} : { denied: denied.slice(0, 100) };
}

/**
 * An error that says the same: a success without a body, or whose record says that it failed, or a refusal because
 * the refund is under way. `undefined`: it is not known whether the service has the request.
 */
export function readReceipt(error: unknown): ReceivedRefund | undefined {
  const { status, body, code } = readError(error);
  if (typeof status === 'number' && status >= 200 && status < 300) {
    if (status !== 200 && (body ?? '') === '') return {};
    // A gateway's { "status": "error" } names no record.
    const record = [body, ...(isRecord(body) ? Object.values(body) : [])].find(
      (it) => isRecord(it) && Object.keys(it).some((name) => /(?:^|_)id$|Id$/.test(name)),
    );
    const received = readReceived(record);
    return received.denied === undefined ? undefined : received;
  }
  const isUnderWay = /duplicate|exists|progress|process|pending|already/i;
  return isRefusedWrite(error) && isUnderWay.test(String(code)) ? {} : undefined;
}

/** Whether a received refund that was denied is not done: the order as it is read now speaks of none. */
export function isDeniedFor({ status }: OrderDetail, { denied }: ReceivedRefund): boolean {
  return denied !== undefined && !/refund/i.test(status);
}

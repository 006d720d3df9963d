/** `judgeRefund`: what an order says about its refund, and whether a refused request settles it. */

import { hasReached, isTakenBack } from '../assumptions.js';
import { readError } from '../../core/errors/read-error.js';
import { isRecord } from '../../core/json.js';
import type { OrderDetail } from '../model/orders.js';

/** What an order proves. `undefined`: nothing, as one that is not refunded yet looks the same. */
export function judgeRefund({ status, timeline }: Partial<OrderDetail>) {
  if (typeof status !== 'string') return undefined;
  const isRefunded =
    isTakenBack(status) ||
    (Array.isArray(timeline) &&
      timeline.some((step) => isRecord(step) && step.event === 'order.refunded'));
  if (isRefunded) return 'refunded';
  return hasReached(status, 'TRANSFER_COMPLETED') ? 'too_late' : undefined;
}

/** Whether the service refused a write with a reason, about the write and not about its credential. */
export function isRefusedWrite(error: unknown): boolean {
  const { code, status, outcome } = readError(error);
  const isAboutTheWrite = status === 400 || status === 409 || status === 422;
  return typeof code === 'string' && isAboutTheWrite && outcome === 'rejected';
}

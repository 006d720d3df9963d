/** Objections to a record that a success holds: it is another one than the call asked for. */

import { readErrorBody, unwrapRecord } from '../assumptions.js';
import type { CompletedCall } from '../engine/completed-call.js';
import { isRecord } from '../../core/json.js';
import { findOtherIdentity } from '../sale/compare-order.js';

/** A cache or a proxy that mixes up responses can return one order under the id of another. */
export function findOtherId(field: string, asked: string, record: unknown): string | undefined {
  const inner = unwrapRecord(record, [field]);
  const stated = isRecord(inner) ? inner[field] : undefined;
  if (typeof stated !== 'string' && typeof stated !== 'number') return undefined;
  return String(stated) === asked
    ? undefined
    : `a record whose ${field} is ${JSON.stringify(stated).slice(0, 100)}`;
}

/** What envelopes of a success write in the place of an error's code. */
const successCodes = new Set(['ok', 'success', 'created', 'accepted']);

/** A created order must be the one that was sent: neither another sale's, nor next to an error's code. */
export function findOrderObjection(
  order: unknown,
  { call, response }: CompletedCall,
): string | undefined {
  if (!isRecord(order) || (order.public_id ?? undefined) === undefined) {
    return 'JSON that has no order with a "public_id"';
  }
  const { code } = readErrorBody(response.body);
  if (code !== undefined && !successCodes.has(code.toLowerCase()))
    return `an order and the error code "${code}"`;
  // The body as sent: the caller may have changed the input since.
  const sent = JSON.parse(Buffer.from(call.body ?? []).toString()) as object;
  const difference = findOtherIdentity(sent, order);
  return difference === undefined ? undefined : `an order that ${difference}`;
}

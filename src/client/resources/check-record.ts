/** Objections to a record that a success holds: it is another one than the call asked for. */

import { isGoodWord } from '../envelope/envelope-words.js';
import { readErrorBody } from '../envelope/error-body.js';
import type { CompletedCall } from '../engine/completed-call.js';
import { isRecord } from '../../core/json.js';
import { findOtherIdentity } from '../sale/compare-order.js';

/** A cache or a proxy that mixes up responses can return one order under the id of another. */
export function findOtherId(field: string, asked: string, record: unknown): string | undefined {
  const stated = isRecord(record) ? record[field] : undefined;
  if (typeof stated !== 'string' && typeof stated !== 'number') return undefined;
  return String(stated) === asked
    ? undefined
    : `a record whose ${field} is ${JSON.stringify(stated).slice(0, 100)}`;
}

/** A created order must be the one that was sent: neither another sale's, nor next to an error's code. */
export function findOrderObjection(
  order: unknown,
  { call, response }: CompletedCall,
): string | undefined {
  if (!isRecord(order) || (order.public_id ?? undefined) === undefined) {
    return 'JSON that has no order with a "public_id"';
  }
  const { code } = readErrorBody(response.body);
  if (code !== undefined && !isGoodWord(code)) return `an order and the error code "${code}"`;
  const difference = findOtherIdentity(Object(call.input) as object, order);
  return difference === undefined ? undefined : `an order that ${difference}`;
}

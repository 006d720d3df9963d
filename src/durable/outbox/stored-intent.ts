/** An intent in its final form: what is stored, and sent again and again. */

import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { checkOnly } from '../../client/check-only.js';
import type { MarketClient } from '../../client/client.js';
import type { OrderInput } from '../../client/model/orders.js';
import type { TraceCarrier } from '../tracing.js';
import type { Job } from '../queue/job.js';
import type { OrderIntent } from './outbox-types.js';

/** What is stored for an intent, as JSON. */
export interface StoredIntent extends OrderIntent {
  /** Unix ms. */
  readonly addedAt: number;
  /** SHA-256 of the order's JSON: the same key with another order is refused by it. */
  readonly sha256: string;
  /** By `add`, for a new payment. Any other may have been sent before it was stored here. */
  readonly isNew?: true | undefined;
  /** The trace of the `add`, where the outbox is traced. */
  readonly trace?: TraceCarrier | undefined;
}

/**
 * Checks an intent and brings its order to the one form that all attempts send. The order is
 * recognised later by its `external_payment_ref`, which is the key unless it is given.
 *
 * @throws {@link InvalidRequestError} from the client's own check; nothing was stored.
 */
export async function finalIntent(
  { orders }: Pick<MarketClient, 'orders'>,
  intent: OrderIntent,
  addedAt: number,
): Promise<StoredIntent> {
  const { key, order } = Object(intent) as OrderIntent;
  if (typeof (key as unknown) !== 'string' || key.trim() === '') {
    throw new TypeError('An intent needs a "key": the id of the payment, as text with content.');
  }
  await checkOrder(orders, order, key);
  const final = finalOrder(order, key);
  return { key, order: final, addedAt, sha256: hashOrder(final) };
}

export function toJob(stored: StoredIntent): Job {
  const { key: id, order, addedAt } = stored;
  const createdAt = new Date(addedAt).toISOString();
  return { id, orderingKey: order.domain, createdAt, body: JSON.stringify(stored) };
}

/** Of the order's JSON: another text under the same key would be refused, or be another order. */
export function hashOrder(order: OrderInput): string {
  return createHash('sha256').update(JSON.stringify(order)).digest('hex');
}

async function checkOrder(
  orders: MarketClient['orders'],
  order: OrderInput,
  idempotencyKey: string,
): Promise<void> {
  const signal = AbortSignal.abort(checkOnly);
  try {
    await orders.create(order, { idempotencyKey, signal });
  } catch (error) {
    if ((Object(error) as { name?: unknown }).name !== 'AbortedError') throw error;
  }
}

function finalOrder(order: OrderInput, key: string): OrderInput {
  // As JSON: what JSON drops or converts would differ after the order was stored.
  const copy = JSON.parse(JSON.stringify(order)) as OrderInput;
  const final = {
    external_payment_ref: key,
    ...copy,
    domain: domainToASCII(copy.domain).replace(/\.$/, ''),
    ...(copy.currency === undefined ? {} : { currency: copy.currency.toUpperCase() }),
  };
  return sortKeys(final) as OrderInput;
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sortKeys(member)]));
}

/** A sale, or the refund of one, in its final form: what is stored, and what each attempt sends. */

import { isRecord } from '../../core/json.js';
import { orderHash } from '../../client/sale/order-hash.js';
import type { OrderInput } from '../../client/model/orders.js';
import { checkOptions, lazily, matching } from '../../core/schema/options.js';
import type { Job } from '../queue/job.js';
import type { TraceContext } from '../tracing.js';
import type { OutboxCalls } from './outbox-options.js';
import type { PaidSale } from './outbox-types.js';

/** What is stored for a sale, as JSON. */
export interface StoredIntent extends PaidSale {
  /** Unix ms. */
  readonly addedAt: number;
  /** SHA-256 of the order's JSON: the same key with different bytes is a conflict, or a second order. */
  readonly sha256: string;
  /** The same of the order under this package's names, where a profile sends other bytes. */
  readonly ownSha256?: string | undefined;
  /** Set by `add`, for a new payment. Any other sale may have been sent before it was stored here. */
  readonly isNew?: true | undefined;
  /** The trace context of the `add`, if the outbox is traced. */
  readonly trace?: TraceContext | undefined;
}

/** What is stored for a refund, as JSON. */
export interface StoredRefund {
  readonly refundOf: string;
  readonly reason: string;
  /** Unix ms. */
  readonly addedAt: number;
  readonly trace?: TraceContext | undefined;
}

/** What a job of the outbox is about: a sale, or its refund. */
export interface Subject {
  readonly intent: StoredIntent;
  readonly refund?: StoredRefund | undefined;
}

/** The rule for an Idempotency-Key, which travels in a header (specification, part 5). */
const keySchema = lazily(() =>
  matching(
    /^[!-~]{1,255}$/,
    'must be the id of the payment, in 1 to 255 visible ASCII characters: it is the Idempotency-Key',
  ),
);

/**
 * Checks a sale and brings its order to the one form that all attempts send. The order is
 * recognized later by its `external_payment_ref`, which is the key unless it is set.
 *
 * @throws {@link InvalidRequestError} from the client's own check; nothing was stored.
 * @throws {@link TypeError} when the key breaks its rule.
 */
export function toStoredIntent(
  orders: Pick<OutboxCalls, 'prepare'>,
  intent: PaidSale,
  addedAt: number,
): StoredIntent {
  const { key: given, order } = Object(intent) as { key?: unknown; order?: unknown };
  const invalid = (name: string, rule: string) => new TypeError(`"${name}" ${rule}.`);
  const key = checkOptions(keySchema, given, invalid, { within: 'key' });
  // `external_payment_ref: payment.ref` may be undefined: the spread would set it so.
  const isUnreferenced = isRecord(order) && order.external_payment_ref === undefined;
  const referenced = isUnreferenced ? { ...order, external_payment_ref: key } : order;
  const { input, sha256 } = orders.prepare(referenced as OrderInput);
  const own = orderHash(input);
  return { key, order: input, addedAt, sha256, ...(own === sha256 ? {} : { ownSha256: own }) };
}

/** Whether two forms of a sale are of one order, which a profile may have the client send differently. */
export function isSameOrder(
  { sha256, ownSha256 = sha256 }: StoredIntent,
  { order, sha256: other }: Pick<StoredIntent, 'order' | 'sha256'>,
): boolean {
  return sha256 === other || ownSha256 === orderHash(order);
}

/** A refund runs after its sale, and before a new sale of the domain: they share an ordering key. */
export function toJob(subject: Subject): Job {
  const { intent, refund } = subject;
  const stored = refund ?? intent;
  const createdAt = new Date(stored.addedAt).toISOString();
  const orderingKey = intent.order.domain;
  return { id: idOf(subject), orderingKey, createdAt, body: JSON.stringify(stored) };
}

export function idOf({ intent, refund }: Subject): string {
  return refund === undefined ? intent.key : refundId(intent.key);
}

export function refundId(key: string): string {
  return `${key} refund`;
}

/** The key of the sale that a job belongs to. No key has a space. */
export function keyOf(jobId: string): string {
  return jobId.split(' ', 1)[0] ?? jobId;
}

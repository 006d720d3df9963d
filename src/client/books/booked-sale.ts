/** SaleInBooks: a sale as the partner stored it, and its checked form. */

import * as z from 'zod/mini';
import { isRecord } from '../../core/json.js';
import { must } from '../../core/schema/must.js';
import { lazily, oneOf, text, type Fields } from '../../core/schema/options.js';
import { checkInput, idempotencyKey, nullAsAbsent, orderInput, unixMs } from '../input/index.js';
import type { OrderInput, OrderStatus } from '../model/orders.js';

/**
 * A sale as the books have it: what `orders.resume` takes (a `SaleToResume`), and how it ended.
 *
 * @example
 * ```ts
 * import type { SaleInBooks } from 'market-partner-sdk';
 *
 * const sale: SaleInBooks = {
 *   input: { domain: 'brew.example', expected_price: 250_000, external_payment_ref: 'payment-1001' },
 *   idempotencyKey: 'payment-1001',
 *   startedAt: '2026-11-21T08:00:00Z',
 *   state: 'placed',
 *   publicId: 'ord_1001',
 *   status: 'EXTERNALLY_PAID',
 * };
 * ```
 */
export interface SaleInBooks {
  /** The input of `orders.create`, as it was sent. */
  input: OrderInput;
  /** The key of the sale. */
  idempotencyKey: string;
  /** When the sale was stored or first sent: a Date, Unix milliseconds, or ISO 8601 with a zone. */
  startedAt: Date | number | string;
  /**
   * How the sale ended in the books: `'placed'`, `'refused'` (the buyer was paid back), or `'open'`.
   * After a requote, `input.expected_price` must be the price that the order was placed at.
   */
  state: 'placed' | 'refused' | 'open';
  /** The order's `public_id`, if the books have it. */
  publicId?: string | undefined;
  /** The order's status in the books. Without it only holds, refunds and cancellations are compared. */
  status?: OrderStatus | undefined;
  /** When the books recorded a refund or a cancellation of the order. */
  refundedAt?: Date | number | string | undefined;
}

/** A sale in the form in which it is compared. */
export type BookedSale = Readonly<ReturnType<typeof checkSale>>;

/** Other columns of the books are ignored. */
const saleInBooks = lazily(() =>
  z.pipe(
    must<object>('must be an object: { idempotencyKey, input, startedAt, state }', isRecord),
    z.object({
      idempotencyKey: idempotencyKey(),
      input: orderInput(),
      startedAt: unixMs(),
      state: oneOf('placed', 'refused', 'open'),
      publicId: nullAsAbsent(text()),
      status: nullAsAbsent(text()),
      refundedAt: nullAsAbsent(unixMs()),
    } satisfies Fields<SaleInBooks>),
  ),
);

/**
 * @param row - its position in the caller's `sales`, from 0
 * @throws {@link InvalidRequestError} that names the field and the rule.
 */
export function checkSale(sale: unknown, row: number) {
  const booked = checkInput(saleInBooks, sale, 'sale');
  const { input } = booked;
  return {
    row,
    idempotencyKey: booked.idempotencyKey,
    /** Lower-case ASCII. */
    domain: input.domain,
    reference: input.external_payment_ref,
    publicId: booked.publicId,
    price: input.expected_price,
    /** Upper case. */
    currency: input.currency,
    state: booked.state,
    status: booked.status,
    startedAtMs: booked.startedAt,
    isRefunded: booked.refundedAt !== undefined,
  };
}

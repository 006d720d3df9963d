/** SaleInBooks: a sale as the partner stored it, and its checked form. */

import { invalidRequest } from '../errors/invalid-request-error.js';
import { nonEmptyString, oneOf, type OptionCheck } from '../../options.js';
import { checkInput, idempotencyKey as idempotencyKeySchema, orderInput } from '../input/index.js';
import { isRecord } from '../../json.js';
import type { OrderInput, OrderStatus } from '../model/orders.js';
import { moment, toMs } from '../../moment.js';

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
export interface BookedSale {
  /** Its position in the caller's `sales`, from 0. */
  readonly row: number;
  readonly idempotencyKey: string;
  /** Lower-case ASCII. */
  readonly domain: string;
  readonly reference: string | undefined;
  readonly publicId: string | undefined;
  readonly price: number;
  /** Upper case. */
  readonly currency: string | undefined;
  readonly state: SaleInBooks['state'];
  readonly status: string | undefined;
  readonly startedAtMs: number;
  readonly isRefunded: boolean;
}

/** What the input schemas do not check. Other columns of the books are ignored. */
const checks = {
  startedAt: moment,
  state: oneOf('placed', 'refused', 'open'),
  publicId: optional(nonEmptyString),
  status: optional(nonEmptyString),
  refundedAt: optional(moment),
};

/** @throws {@link InvalidRequestError} that names the field and the rule. */
export function checkSale(sale: unknown, row: number): BookedSale {
  if (!isRecord(sale)) {
    throw invalidRequest('sale', 'must be an object: { idempotencyKey, input, startedAt, state }');
  }
  const idempotencyKey = checkInput(idempotencyKeySchema, sale.idempotencyKey, 'idempotencyKey');
  const input = checkInput(orderInput, sale.input, 'input');
  for (const [name, check] of Object.entries(checks)) {
    const rule = check(sale[name]);
    if (rule !== undefined) throw invalidRequest(name, rule);
  }
  const { state, publicId, status, startedAt, refundedAt } = sale as unknown as SaleInBooks;
  return {
    row,
    idempotencyKey,
    domain: input.domain,
    reference: input.external_payment_ref,
    publicId: publicId ?? undefined,
    price: input.expected_price,
    currency: input.currency,
    state,
    status: status ?? undefined,
    startedAtMs: toMs(startedAt),
    isRefunded: isPresent(refundedAt),
  };
}

function optional(check: OptionCheck): OptionCheck {
  return (value) => (isPresent(value) ? check(value) : undefined);
}

/** A database's NULL is an absent value. */
function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

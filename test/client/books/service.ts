/** Books and orders for the tests of a comparison, in fixed time. */

import {
  MarketClient,
  type BooksToReconcile,
  type Order,
  type ReconcileOptions,
  type SaleInBooks,
} from 'market-partner-sdk';
import { OrderList } from '../../faults/books/order-list.js';

export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;
export const nowMs = Date.parse('2026-11-21T12:00:00Z');
export const fromMs = nowMs - 3 * dayMs;
export const at = (ms: number) => new Date(ms).toISOString();

/** A sale of yesterday, under the payment `name`. */
export const sale = (name: string, changes: Partial<SaleInBooks> = {}): SaleInBooks => ({
  input: { domain: `${name}.example`, expected_price: 1_000, external_payment_ref: name },
  idempotencyKey: name,
  startedAt: nowMs - dayMs,
  state: 'placed',
  ...changes,
});

/** Fields of an order; `undefined` for one that the service does not show. */
export type OrderChanges = { [Name in keyof Order]?: Order[Name] | undefined };

/** The order of `sale(name)`. */
export const order = (name: string, changes: OrderChanges = {}) =>
  ({
    public_id: `ord_${name}`,
    domain: `${name}.example`,
    status: 'EXTERNALLY_PAID',
    sale_price_cents: 1_000,
    currency: 'USD',
    // Not at the border of two days, whose lists would both have it.
    created_at: at(nowMs - dayMs + minuteMs),
    external_payment_ref: name,
    ...changes,
  }) as Order;

export const clientOf = (fetch: OrderList['fetch']) =>
  new MarketClient({
    baseUrl: 'https://market.example',
    keyId: 'mk_sandbox_1f0c',
    secret: 'of these tests',
    clock: () => nowMs,
    validateResponses: 'off',
    maxRetries: 0,
    fetch,
  });

/** What a comparison finds, as `kind subject`, in its order. */
export async function compare(
  sales: BooksToReconcile['sales'],
  orders: readonly Order[] | OrderList,
  books: Partial<BooksToReconcile> = {},
  options?: ReconcileOptions,
) {
  const list = orders instanceof OrderList ? orders : new OrderList([...orders]);
  const comparison = clientOf(list.fetch).orders.reconcile(
    { sales, from: fromMs, ...books },
    options,
  );
  const findings = await comparison.toArray();
  const found = findings.map(({ kind, idempotencyKey, publicIds }) =>
    `${kind} ${idempotencyKey ?? publicIds.join(' ')}`.trim(),
  );
  return { found, findings, summary: comparison.summary, list };
}

/** Sales that the partner collected: quotes, orders, refunds, settlements (specification, parts 4.2 and 4.4). */

import { endpoints } from '../endpoints.js';
import { Reconciliation } from '../books/reconcile.js';
import type { BooksToReconcile, ReconcileOptions } from '../books/reconcile-options.js';
import type { CallPromise } from '../results/call-promise.js';
import type { Engine } from '../engine/engine.js';
import type {
  Order,
  OrderDetail,
  OrderFilters,
  OrderInput,
  PageRequest,
  Payout,
  PreparedInput,
  Quote,
  QuoteInput,
  Refund,
  RefundInput,
  SettlementStatement,
  TransactionFilters,
} from '../model/index.js';
import type { RequestOptions } from '../options/request-options.js';
import type { Page } from '../results/page.js';
import type { PagePromise } from '../results/page-promise.js';
import { TransactionPage } from '../results/totals-pages.js';
import {
  resumeOrder,
  type ResumedSale,
  type ResumeOptions,
  type SaleToResume,
} from './resume-order.js';
import { resumeRefund, type RefundToResume, type ResumedRefund } from './resume-refund.js';
import type { ResumeWriteOptions } from './resume-write.js';
import { findOrderObjection, findOtherId } from './check-record.js';
import { waitForOrder, type WaitForOptions } from './wait-for-order.js';

/** `market.orders`: quote, sell, follow and settle. */
export class Orders {
  readonly #engine: Engine;

  /** @internal */
  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Asks for a firm price, held for ten minutes; the order then names the quote by `quote_id`.
   * Scope: `buy`.
   *
   * A repeat does no harm, so this call is retried like a read.
   *
   * @throws {@link InvalidRequestError} when the input breaks a rule.
   * @throws {@link NotFoundError} when the domain is not listed.
   * @see specification, part 4.2: POST /quotes
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const quote = await market.orders.quote({ domain: 'brew.example', currency: 'USD' });
   * console.log(quote.quote_id, quote.price_cents, quote.expires_at);
   * ```
   */
  quote(input: QuoteInput, options?: RequestOptions): CallPromise<Quote> {
    return this.#engine.call(endpoints.orders.quote, { body: input }, options);
  }

  /**
   * Records a sale that you collected, and starts the delivery of the domain. Scope: `buy`.
   *
   * Every order carries an Idempotency-Key, the same on each attempt. Give your own
   * (`options.idempotencyKey`) and store it with the input before the call; after a failure or a
   * crash, give both to `orders.resume`. While the service remembers the key, the same input replays
   * the first response, a refusal too. Without your own key, a UUID v4 is created; it is on the error
   * and on `withResponse().response`.
   *
   * @throws {@link InvalidRequestError} when the input breaks a rule; nothing was sent.
   * @throws {@link PriceMismatchError} when the price is not the current listing price:
   * `orders.resume` with `requote` orders at a new quote.
   * @throws {@link QuoteExpiredError} when the quote is past its ten minutes: the same.
   * @throws {@link ConflictError} when the key was used with another input: give the first one to
   * `orders.resume`.
   * @throws {@link NotFoundError} when the domain is not listed.
   * @throws {@link MarketError} with `outcome: 'unknown'` when the order may exist: `orders.resume` with
   * the error's `idempotencyKey` finds out.
   * @see specification, part 4.2: POST /orders
   *
   * @example
   * ```ts
   * import { MarketClient, MarketError } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const input = {
   *   domain: 'brew.example',
   *   expected_price: 250_000,
   *   currency: 'USD',
   *   // Of this sale only: orders.resume recognizes the order by it.
   *   external_payment_ref: 'payment-1001',
   * };
   * const startedAt = new Date();
   * // Store input, key and startedAt here, with the payment.
   * try {
   *   const order = await market.orders.create(input, { idempotencyKey: 'payment-1001' });
   *   console.log(order.public_id, order.status);
   * } catch (error) {
   *   if (!(error instanceof MarketError)) throw error;
   *   const sale = { input, idempotencyKey: 'payment-1001', startedAt };
   *   const { state } = await market.orders.resume(sale);
   *   console.log(state);
   * }
   * ```
   */
  create(input: OrderInput, options?: RequestOptions): CallPromise<Order> {
    return this.#engine.call(endpoints.orders.create, { body: input }, options, findOrderObjection);
  }

  /**
   * Checks an order's input and returns it as `orders.create` would send it. Synchronous, and nothing is
   * sent: for a program that stores a sale before it sends it. The same order always gives the same text
   * and the same hash, in any order of its keys, and prepared again.
   *
   * @throws {@link InvalidRequestError} when the input breaks a rule.
   * @see specification, part 4.2: POST /orders
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const { input, sha256 } = market.orders.prepare({
   *   domain: 'Brew.example',
   *   expected_price: 250_000,
   *   external_payment_ref: 'payment-1001',
   * });
   * console.log(input.domain, sha256); // store both with the payment
   * ```
   */
  prepare(input: OrderInput): PreparedInput<OrderInput> {
    return this.#engine.prepareInput(endpoints.orders.create, input);
  }

  /**
   * Ends a sale that was begun and whose end is not known: after a crash, a timeout, or an error that
   * does not say. Call it as often as needed, with what was stored before the first call.
   * Scope: `buy`.
   *
   * It sends the same input with the same key. A refusal is believed only after `orders.list` has
   * shown twice, some seconds apart, that no order exists. An order is yours by its
   * `external_payment_ref`; give every sale one.
   *
   * @throws {@link InvalidRequestError} when an argument breaks a rule, with the sale's key: a job must
   * go on with its next sale. Every other error is in the result: `open` until the end is known.
   * @see specification, parts 4.2 and 7: POST /orders, GET /orders
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const sale = await market.orders.resume({
   *   input: { domain: 'brew.example', expected_price: 250_000, external_payment_ref: 'payment-1001' },
   *   idempotencyKey: 'payment-1001',
   *   startedAt: Date.now() - 60_000,
   * });
   * if (sale.state === 'placed') console.log('delivered soon', sale.order.public_id);
   * if (sale.state === 'refused') console.log('pay the buyer back', sale.reason);
   * if (sale.state === 'open') console.log('call again later', sale.retryAfterMs);
   * if (sale.state === 'attention') console.log('a person must look', sale.reason, sale.error);
   * ```
   */
  resume(sale: SaleToResume, options?: ResumeOptions): Promise<ResumedSale> {
    return resumeOrder({ orders: this, engine: this.#engine }, sale, options);
  }

  /**
   * Compares your books with the service: the sales that you stored against its orders. It reads and
   * writes nothing; each finding names the next step. Run it every night. Scope: `buy` or `search`; with
   * `settlements: true` also `buy`.
   *
   * An order belongs to a sale by `publicId`, else by `external_payment_ref`. What cannot be joined for
   * certain, or rests on a list that proves nothing (a cache, a partial page), is `not_checkable`: never
   * a difference, and never a sign that the books agree. The orders of the window are read a day at a
   * time, from a day before `from` to now; a sale without an order is looked up by its domain as well.
   * Memory: about 200 bytes per sale, whatever the number of orders.
   *
   * @returns an async iterable of findings, to be read once. Its `summary` is there after the end.
   * @throws {@link InvalidRequestError} at once, when an option or the window breaks a rule. A row of
   * `sales` that breaks a rule is a finding.
   * @throws {@link ApiError} and other errors of a call from the iteration, after the findings so far.
   * @see specification, parts 3, 4.2 and 4.4: GET /orders, GET /settlements
   *
   * @example
   * ```ts
   * import { MarketClient, type SaleInBooks } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const sales: SaleInBooks[] = [
   *   {
   *     input: { domain: 'brew.example', expected_price: 250_000, external_payment_ref: 'payment-1001' },
   *     idempotencyKey: 'payment-1001',
   *     startedAt: '2026-11-21T08:00:00Z',
   *     state: 'placed',
   *   },
   * ];
   * const comparison = market.orders.reconcile({ sales, from: '2026-11-20' });
   * for await (const { kind, idempotencyKey, message, nextStep } of comparison) {
   *   console.log(kind, idempotencyKey, message, nextStep);
   * }
   * console.log(comparison.summary.agreed, comparison.summary.notCheckable);
   * ```
   */
  reconcile(books: BooksToReconcile, options?: ReconcileOptions): Reconciliation {
    return new Reconciliation({ orders: this, engine: this.#engine }, books, options);
  }

  /**
   * Lists your orders, narrowed by status, domain or dates. Scope: `buy` or `search`.
   *
   * @throws {@link InvalidRequestError} when a filter breaks a rule.
   * @see specification, part 4.2: GET /orders
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * for await (const order of market.orders.list({ domain: 'brew.example' })) {
   *   console.log(order.public_id, order.status);
   * }
   * ```
   */
  list(filters: OrderFilters = {}, options?: RequestOptions): PagePromise<Page<Order>> {
    return this.#engine.callPages(endpoints.orders.list, filters, options);
  }

  /**
   * Reads an order with its transfer and its timeline. Scope: `buy` or `search`.
   *
   * @throws {@link InvalidRequestError} when the id could leave its place in the path.
   * @throws {@link NotFoundError} when there is no such order.
   * @see specification, part 4.2: GET /orders/\{public_id\}
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const order = await market.orders.get('ord_1001');
   * console.log(order.status, order.timeline?.at(-1)?.at);
   * ```
   */
  get(publicId: string, options?: RequestOptions): CallPromise<OrderDetail> {
    return this.#engine.call(endpoints.orders.get, { param: publicId }, options, (order) =>
      findOtherId('public_id', publicId, order),
    );
  }

  /**
   * Reads an order again and again, with growing pauses, until it is where you want it.
   * Scope: `buy` or `search`.
   *
   * A transfer can take days: for a service, webhooks are the better way; this is for scripts.
   *
   * A read that fails in passing (no connection, 5xx, 429) is logged and repeated.
   *
   * @throws {@link InvalidRequestError} when an option breaks a rule.
   * @throws {@link OrderNotReachedError} when the order ended elsewhere: refunded, say.
   * @throws {@link TimeoutError} when `deadlineMs` has passed; the message names the last status, and
   * whether your team must act.
   * @throws {@link AbortedError} when the signal fired.
   * @see specification, part 3, and part 4.2: GET /orders/\{public_id\}
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const order = await market.orders.waitFor('ord_1001', {
   *   until: 'TRANSFER_COMPLETED',
   *   deadlineMs: 60 * 60_000,
   *   onHeld: (held) => console.warn(`${held.public_id} waits for a person at the service`),
   * });
   * console.log(`${order.domain} was delivered`);
   * ```
   */
  waitFor(publicId: string, options: WaitForOptions): Promise<OrderDetail> {
    return waitForOrder(this.#engine, publicId, (each) => this.get(publicId, each), options);
  }

  /**
   * Asks for the refund of an order that you collected; possible only before
   * `TRANSFER_COMPLETED`. Scope: `buy`.
   *
   * It resolves when the service has the request, whatever the `status` of the result: the order is refunded once
   * its own status or the event `order.refunded` says so. Do not pay the buyer back before.
   *
   * A second request could do harm, so this call is not retried if the first may have been
   * worked on: it then fails with `outcome: 'unknown'`, and `orders.resumeRefund` finds out.
   *
   * @throws {@link InvalidRequestError} when the input names no order.
   * @throws {@link NotFoundError} when there is no such order.
   * @throws {@link ApiError} when the order can no longer be refunded.
   * @see specification, part 4.4: POST /refunds
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * await market.orders.refund({ public_id: 'ord_1001', reason: 'buyer withdrew' });
   * const { status } = await market.orders.get('ord_1001');
   * if (status === 'REFUNDED') console.log('pay the buyer back');
   * ```
   */
  refund(input: RefundInput, options?: RequestOptions): CallPromise<Refund> {
    return this.#engine.call(endpoints.orders.refund, { body: input }, options);
  }

  /**
   * Finds out what came of a refund whose end is not known. It reads the order and the event history
   * and sends nothing, unless `repeat: 'accept'` is given. Scope: `buy` and `webhook`.
   *
   * @throws {@link InvalidRequestError} when an argument breaks a rule. Every other error is in the
   * result: `open` until the end is known.
   * @see specification, parts 3, 4.2, 4.4 and 4.7: POST /refunds, GET /orders/\{public_id\}, GET /events
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const refund = await market.orders.resumeRefund({
   *   input: { public_id: 'ord_1001', reason: 'buyer withdrew' },
   *   startedAt: Date.now() - 60_000,
   * });
   * if (refund.state === 'attention') console.log('nothing is visible: a repeat may pay twice');
   * ```
   */
  resumeRefund(refund: RefundToResume, options?: ResumeWriteOptions): Promise<ResumedRefund> {
    return resumeRefund({ orders: this, engine: this.#engine }, refund, options);
  }

  /**
   * Lists the statements of each period: gross sold, commission retained, amount owed.
   * Scope: `buy`.
   *
   * @see specification, part 4.4: GET /settlements
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * for await (const statement of market.orders.listSettlements()) {
   *   console.log(statement.period_end, statement.amount_owed_cents);
   * }
   * ```
   */
  listSettlements(
    page: PageRequest = {},
    options?: RequestOptions,
  ): PagePromise<Page<SettlementStatement>> {
    return this.#engine.callPages(endpoints.orders.listSettlements, page, options);
  }

  /**
   * Lists the whole sales history; each page has the `totals` (GMV, commission) next to its items.
   * Scope: `report`.
   *
   * @throws {@link InvalidRequestError} when a filter breaks a rule.
   * @see specification, part 4.4: GET /transactions
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const page = await market.orders.listTransactions({ from: '2026-01-01', to: '2026-03-31' });
   * console.log(page.totals?.gmv_cents, page.items.length);
   * ```
   */
  listTransactions(
    filters: TransactionFilters = {},
    options?: RequestOptions,
  ): PagePromise<TransactionPage> {
    return this.#engine.callPagesOf(
      TransactionPage,
      endpoints.orders.listTransactions,
      filters,
      options,
    );
  }

  /**
   * Lists what the service has paid you: commissions if you are not merchant of record, and
   * brokerage. Scope: `report`.
   *
   * @see specification, part 4.4: GET /payouts
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const payouts = await market.orders.listPayouts().toArray({ limit: 20 });
   * console.log(payouts.map(({ amount_cents, paid_at }) => [paid_at, amount_cents]));
   * ```
   */
  listPayouts(page: PageRequest = {}, options?: RequestOptions): PagePromise<Page<Payout>> {
    return this.#engine.callPages(endpoints.orders.listPayouts, page, options);
  }
}

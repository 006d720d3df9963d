/** SaleEnding: ends one sale, under its own key and under those of its requotes. */

import type { Order, OrderInput, Quote, QuoteInput } from '../model/index.js';
import type { RequestOptions } from '../options/request-options.js';
import type { ListPage } from './absence-proof.js';
import type { Verdict } from './decide-verdict.js';
import { reachVerdict, type SaleToEnd } from './reach-verdict.js';
import { requoteOrder, type SaleAttempt } from './requote-order.js';

/** The methods of `market.orders` that end a sale. */
export interface SaleCalls {
  create(input: OrderInput, options: RequestOptions): PromiseLike<unknown>;
  list(
    filters: { domain: string; cursor?: string },
    options: RequestOptions,
  ): PromiseLike<ListPage<Order>>;
  quote(input: QuoteInput, options: RequestOptions): PromiseLike<Quote>;
}

interface SaleContext extends Omit<SaleToEnd, 'sent' | 'keyIsOld' | 'send' | 'readOrders'> {
  readonly orders: SaleCalls;
  readonly idempotencyKey: string;
  /** The options of every call. */
  readonly call: RequestOptions;
  /** Runs before each order of a requote is sent. */
  readonly beforeRequote?: () => Promise<void>;
}

export class SaleEnding {
  readonly #context: SaleContext;

  constructor(context: SaleContext) {
    this.#context = context;
  }

  /** @param lookUpFirst - whether to look for an order before anything is sent */
  place(lookUpFirst: boolean): Promise<Verdict> {
    const { input, idempotencyKey } = this.#context;
    return this.#place({ input, idempotencyKey, lookUpFirst });
  }

  /** Follows a refusal for its price with new quotes, never above what was paid. */
  requote(first: Verdict): Promise<Verdict> {
    const { orders, beforeRequote } = this.#context;
    return requoteOrder(first, {
      ...this.#context,
      end: async (attempt) => {
        await beforeRequote?.();
        return this.#place(attempt);
      },
      confirm: (refusal) => this.confirm(refusal),
      quote: orders.quote.bind(orders),
    });
  }

  /** Looks twice for an order before a refusal is believed, and sends nothing. */
  confirm(refusal: unknown): Promise<Verdict> {
    return this.#reach(this.#context.input, false, () => Promise.reject(refusal));
  }

  #place({ input, idempotencyKey, lookUpFirst }: SaleAttempt): Promise<Verdict> {
    const { orders, call } = this.#context;
    const send = () => orders.create(input, { ...call, idempotencyKey });
    return this.#reach(input, lookUpFirst, send);
  }

  #reach(
    sent: OrderInput,
    lookUpFirst: boolean,
    send: () => PromiseLike<unknown>,
  ): Promise<Verdict> {
    const { orders, call } = this.#context;
    return reachVerdict({
      // Its look-ups compare with the input: an earlier requote may have placed it at any price up to that one.
      ...this.#context,
      sent,
      keyIsOld: lookUpFirst,
      send,
      readOrders: (filters, limits) => orders.list(filters, { ...call, ...limits }),
    });
  }
}

// A shop that sells domains, right in all that a rehearsal looks at. The programs with a mistake change
// one of its parts.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MarketClient, PriceMismatchError, QuoteExpiredError } from 'market-partner-sdk';
import { createWebhookHandler } from 'market-partner-sdk/webhooks';

export const market = new MarketClient();
export const webhookSecret = process.env.MARKET_WEBHOOK_SECRET;

/** The books: one JSON object a line, written before anything is done. */
const file = join(process.argv[2], 'books.jsonl');

export class Shop {
  sales = new Map();
  seen = new Set();
  cursor;

  constructor(parts = {}) {
    Object.assign(this, parts);
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    for (const line of lines.filter(Boolean)) this.apply(JSON.parse(line));
  }

  apply({ sale, seen, cursor }) {
    if (sale) this.sales.set(sale.payment, { ...this.sales.get(sale.payment), ...sale });
    if (seen) this.seen.add(seen);
    if (cursor) this.cursor = cursor;
  }

  write(entry) {
    appendFileSync(file, `${JSON.stringify(entry)}\n`);
    this.apply(entry);
  }

  /** The payment provider says that the buyer paid. It may say so more than once. */
  async sell(domain, payment) {
    if (!this.sales.has(payment)) {
      this.write({ sale: { domain, payment, state: 'open', startedAt: Date.now() } });
    }
    await this.complete(payment);
    return this.sales.get(payment).state;
  }

  /** It pays back whatever it calls refused. */
  ask(payment) {
    const { state = 'open', input } = this.sales.get(payment) ?? {};
    return state === 'refused' && input ? `refused ${input.expected_price}` : state;
  }

  #running = new Map();

  /** Only one job works on a sale at a time. */
  complete(payment) {
    const running =
      this.#running.get(payment) ??
      this.#complete(payment).finally(() => this.#running.delete(payment));
    this.#running.set(payment, running);
    return running;
  }

  async #complete(payment) {
    if (this.sales.get(payment).state !== 'open') return;
    try {
      if (this.sales.get(payment).input === undefined) await this.quote(payment);
      await this.place(this.sales.get(payment));
    } catch {
      // It stays open, and the job comes back to it.
    }
  }

  async quote(payment) {
    const { domain } = this.sales.get(payment);
    const quote = await market.orders.quote({ domain, currency: 'USD' });
    const { price_cents, quote_id } = quote;
    const input = { domain, expected_price: price_cents, currency: 'USD', quote_id };
    input.external_payment_ref = payment;
    this.write({ sale: { payment, input, idempotencyKey: payment } });
  }

  /** Sent once; whatever became of it, `orders.resume` finds out. */
  async place(sale) {
    if (!sale.sent) {
      this.write({ sale: { payment: sale.payment, sent: true } });
      const order = await market.orders.create(sale.input, { idempotencyKey: sale.idempotencyKey });
      return this.end(sale.payment, 'placed', order.public_id);
    }
    const { state, order } = await market.orders.resume(sale, { requote: 'at_most_paid' });
    if (state === 'placed' || state === 'refused') this.end(sale.payment, state, order?.public_id);
  }

  end(payment, state, orderId) {
    // A refund stands, whatever comes after it.
    if (this.sales.get(payment)?.state === 'refused') return;
    this.write({ sale: { payment, state, ...(orderId && { orderId }) } });
  }

  /** The sale of an order: an event may come before the response with its id. */
  saleOf(order) {
    const sales = [...this.sales.values()];
    return (
      sales.find(({ orderId }) => orderId === order?.public_id) ??
      sales.find(({ domain, orderId }) => !orderId && domain === order?.domain)
    );
  }

  handle(event) {
    if (this.seen.has(event.id)) return;
    const sale = this.saleOf(event.data.order);
    if (event.type === 'order.refunded' && sale) {
      this.end(sale.payment, 'refused', event.data.order.public_id);
    }
    this.write({ seen: event.id });
  }

  async withdraw(payment) {
    const { orderId } = this.sales.get(payment);
    await market.orders.refund({ public_id: orderId, reason: 'withdrawn' });
    this.end(payment, 'refused');
    return this.ask(payment);
  }

  async readHistory() {
    for await (const event of market.events.list({ after_id: this.cursor })) {
      this.handle(event);
      this.write({ cursor: event.id });
    }
  }

  verify = createWebhookHandler({ secret: webhookSecret, onEvent: (event) => this.handle(event) });

  /** Completes what is open, and reads what no delivery brought. */
  start() {
    const again = async (job, everyMs) => {
      await job().catch(() => undefined);
      setTimeout(again, everyMs, job, everyMs);
    };
    const open = () => [...this.sales.values()].filter(({ state }) => state === 'open');
    // A sale whose response is long in coming keeps no other waiting.
    const completeOpen = () => open().forEach(({ payment }) => void this.complete(payment));
    void again(async () => completeOpen(), 500);
    void again(() => this.readHistory(), 1_000);
    return this;
  }
}

/** A shop with a way of its own to go on once the price or the quote was refused. */
export class RequotingShop extends Shop {
  async place(sale) {
    try {
      await super.place(sale);
    } catch (error) {
      const isRefused = error instanceof PriceMismatchError || error instanceof QuoteExpiredError;
      if (!isRefused) throw error;
      await this.requote(sale);
    }
  }

  /** Orders what was quoted last, under a second key. */
  async placeAgain(payment) {
    this.write({ sale: { payment, idempotencyKey: `${payment}-2`, sent: false } });
    await super.place(this.sales.get(payment));
  }
}

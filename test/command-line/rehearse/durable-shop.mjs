// A shop of the durable inbox and outbox, on any engine.

import { MarketClient } from 'market-partner-sdk';
import { createEventInbox, createOrderOutbox } from 'market-partner-sdk/durable';

const market = new MarketClient();

/** Its books are the states of the outbox, and the refunds that it was told of. */
export class DurableShop {
  constructor(engine, refunds) {
    this.engine = engine;
    this.refunds = refunds;
    const ends = { onPlaced() {}, onRefused() {}, onRefunded() {}, onNotRefunded() {} };
    const callbacks = { ...ends, onAttention() {} };
    this.outbox = createOrderOutbox({ market, engine, leaseMs: 3_000, ...callbacks });
    this.inbox = createEventInbox({
      market,
      secret: process.env.MARKET_WEBHOOK_SECRET,
      engine,
      startFrom: 'beginning',
      leaseMs: 3_000,
      poll: { everyMs: 2_000 },
      on: { 'order.refunded': ({ data }) => refunds.add(data.order.public_id) },
    });
  }

  async start() {
    await Promise.all([this.outbox.start(), this.inbox.start()]);
    process.once('SIGTERM', async () => {
      await Promise.all([this.outbox.stop(), this.inbox.stop()]);
      process.exit(0);
    });
    return this;
  }

  async sell(domain, payment) {
    if ((await this.outbox.get(payment)) === undefined) {
      const { price_cents, quote_id } = await market.orders.quote({ domain, currency: 'USD' });
      const order = { domain, expected_price: price_cents, currency: 'USD', quote_id };
      await this.outbox.add({ key: payment, order });
    }
    return this.ask(payment);
  }

  async withdraw(payment) {
    await this.outbox.refund(payment, { reason: 'withdrawn' });
    return this.ask(payment);
  }

  async ask(payment) {
    const entry = await this.outbox.get(payment);
    if (entry?.state === 'placed') {
      return (await this.refunds.has(entry.order.public_id)) ? 'refused' : 'placed';
    }
    return ['refused', 'refunded'].includes(entry?.state) ? 'refused' : 'open';
  }
}

/** For the four frameworks of servers.mjs. */
export const receive = (shop) => async (body, signature) => {
  const headers = { 'x-market-signature': signature };
  return (await shop.inbox.handle({ headers, body })).status;
};

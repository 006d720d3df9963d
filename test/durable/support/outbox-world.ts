/** An outbox beside an emulator, in manual time, and what its callbacks were told. */

import {
  createOrderOutbox,
  memoryEngine,
  type OrderIntent,
  type OrderOutbox,
  type OrderOutboxOptions,
  type QueueSpec,
} from 'market-partner-sdk/durable';
import type { EmulatorOptions } from 'market-partner-sdk/testing';
import { MarketWorld } from './market-world.js';

/** How an outbox opens its queue of intents, for tests that look into it. */
export const ordersQueue: QueueSpec = {
  ...{ name: 'market-default-sandbox-orders', leaseMs: 30_000, maxRunMs: 60_000 },
  ...{ keepDoneMs: 86_400_000 },
};

export const intent = (key: string, order: Partial<OrderIntent['order']> = {}): OrderIntent => ({
  key,
  order: { domain: 'brew.example', expected_price: 250_000, currency: 'USD', ...order },
});

export class OutboxWorld {
  readonly market: MarketWorld;
  readonly told: string[] = [];
  readonly #outboxes: OrderOutbox[] = [];

  static async start(options: EmulatorOptions = {}): Promise<OutboxWorld> {
    const market = await MarketWorld.start(options);
    for (const domain of ['brew.example', 'tea.example']) {
      market.emulator.admin.list({ domain, price_cents: 250_000 });
    }
    return new OutboxWorld(market);
  }

  private constructor(market: MarketWorld) {
    this.market = market;
  }

  get time() {
    return this.market.time;
  }

  get emulator() {
    return this.market.emulator;
  }

  outboxWith(options: Partial<OrderOutboxOptions> = {}): OrderOutbox {
    const { time, told } = this;
    const outbox = createOrderOutbox({
      // Nothing is repeated inside the client: each claim is one request.
      ...{ market: this.market.client({ maxRetries: 0 }), engine: memoryEngine(time.options) },
      ...{ random: () => 0.5, ...time.options },
      onPlaced: (order, { key }) => told.push(`${key} placed ${order.domain}`),
      onRefused: ({ reason, confirmed }, { key }) =>
        told.push(`${key} refused ${reason} ${confirmed}`),
      onAttention: ({ reason, candidates }, { key }) =>
        told.push(`${key} attention ${reason} ${candidates.length}`),
      ...options,
    });
    this.#outboxes.push(outbox);
    return outbox;
  }

  /** Drains again and again while time passes: retries and look-ups come due. */
  async drainFor(outbox: OrderOutbox, minutes = 10): Promise<void> {
    for (let round = 0; round < minutes * 2; round += 1) {
      const drained = outbox.drain({ maxMs: 60_000 });
      await this.time.advance(30_000);
      await drained;
    }
  }

  /** The requests for orders: `POST` places one, `GET` lists them. */
  requests(method: 'GET' | 'POST') {
    return this.emulator.requests.filter(
      (request) => request.method === method && request.path.endsWith('/orders'),
    );
  }

  async stop(): Promise<void> {
    for (const outbox of this.#outboxes) await outbox.stop({ graceMs: 0 });
    await this.market.stop();
  }
}

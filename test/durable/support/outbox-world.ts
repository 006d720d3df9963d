/** An outbox with an emulator, in manual time, and what its callbacks received. */

import {
  createOrderOutbox,
  memoryEngine,
  type EventInbox,
  type PaidSale,
  type OrderOutbox,
  type OrderOutboxOptions,
} from 'market-partner-sdk/durable';
import type { ClientOptions, MarketClient, Order } from 'market-partner-sdk';
import type { EmulatorOptions } from 'market-partner-sdk/testing';
import { afterEach, beforeEach } from 'vitest';
import { MarketWorld, withOrders } from './market-world.js';
import type { QueueSpec } from '../../../src/durable/queue/engine.js';

/** How an outbox opens its queue of intents, for tests that look into it. */
export const ordersQueue: QueueSpec = {
  name: 'market-default-sandbox-orders',
  leaseMs: 30_000,
  keepDoneMs: 86_400_000,
};

export const intent = (key: string, order: Partial<PaidSale['order']> = {}): PaidSale => ({
  key,
  order: { domain: 'brew.example', expected_price: 250_000, currency: 'USD', ...order },
});

type StaffMove = 'startTransfer' | 'completeTransfer' | 'refund' | 'denyRefund' | 'cancel';

export class OutboxWorld {
  market!: MarketWorld;
  readonly reported: string[] = [];
  /** While set, every fifth minute of `drainFor` has a sale of its own whose callback succeeds: a failure is then its sale's own. */
  isBusy = false;
  #others = 0;
  readonly #outboxes: OrderOutbox[] = [];

  static async start(options: EmulatorOptions = {}): Promise<OutboxWorld> {
    const world = new OutboxWorld();
    await world.begin(options);
    return world;
  }

  async begin(options: EmulatorOptions = {}): Promise<void> {
    this.market = await MarketWorld.start(options);
    for (const domain of ['brew.example', 'tea.example']) {
      this.emulator.admin.list({ domain, price_cents: 250_000 });
    }
    this.reported.length = 0;
    this.isBusy = false;
    this.#others = 0;
  }

  /** Begins anew, at another service. */
  async restart(options: EmulatorOptions): Promise<void> {
    await this.stop();
    await this.begin(options);
  }

  get time() {
    return this.market.time;
  }

  get emulator() {
    return this.market.emulator;
  }

  /** Nothing is repeated inside the client: each claim is one request. */
  client(options: ClientOptions = {}): MarketClient {
    return this.market.client({ maxRetries: 0, ...options });
  }

  /** The orders that the service has. */
  orders(): Promise<Order[]> {
    return this.market.market.orders.list().toArray();
  }

  /** A client whose orders, or those of one domain, get no response until their signal fires. */
  hangingMarket(only?: string): OrderOutboxOptions['market'] {
    const market = this.client();
    const create = (...[order, options]: Parameters<typeof market.orders.create>) =>
      (order.domain === only || only === undefined) && options?.signal?.aborted === false
        ? new Promise((_resolve, reject) =>
            options.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
          )
        : market.orders.create(order, options);
    return withOrders(market, { create });
  }

  outboxWith(options: Partial<OrderOutboxOptions> = {}): OrderOutbox {
    const { time, reported } = this;
    const outbox = createOrderOutbox(
      withOthers({
        market: this.client(),
        engine: memoryEngine(time.options),
        random: () => 0.5,
        logger: false,
        ...time.options,
        onPlaced: (order, { key }) => reported.push(`${key} placed ${order.domain}`),
        onRefused: ({ reason, confirmed }, { key }) =>
          reported.push(`${key} refused ${reason} ${confirmed}`),
        onAttention: ({ reason, candidates }, { key }) =>
          reported.push(`${key} attention ${reason} ${candidates.length}`),
        ...options,
      }),
    );
    this.#outboxes.push(outbox);
    return outbox;
  }

  /** An outbox that knows one sale, `pay-1`. */
  async outboxWithSale(
    options: Partial<OrderOutboxOptions> = {},
    order: Partial<PaidSale['order']> = {},
  ): Promise<OrderOutbox> {
    const outbox = this.outboxWith(options);
    await outbox.add(intent('pay-1', order));
    return outbox;
  }

  /** An outbox whose one sale has ended, and whose callbacks, which `options` give, have failed for good. */
  async outboxAfterFailures(
    options: Partial<OrderOutboxOptions>,
    order: Partial<PaidSale['order']> = {},
  ): Promise<OrderOutbox> {
    const outbox = await this.outboxWithSale(options, order);
    this.isBusy = true;
    await this.drainFor(outbox, 120);
    this.isBusy = false;
    return outbox;
  }

  /** Sales of domains of their own, `pay-0` and on; their keys. */
  async addSales(outbox: OrderOutbox, count: number): Promise<string[]> {
    const keys = Array.from({ length: count }, (_none, index) => `pay-${index}`);
    for (const key of keys) {
      const domain = `${key}.example`;
      this.emulator.admin.list({ domain, price_cents: 250_000 });
      await outbox.add(intent(key, { domain }));
    }
    return keys;
  }

  /** The staff act on the first order; its id. */
  async act(...moves: StaffMove[]): Promise<string> {
    const [order] = await this.orders();
    for (const move of moves) this.emulator.admin[move](order!.public_id);
    return order!.public_id;
  }

  /** One drain, as of a cron route, and so much time. */
  async drain(worker: Pick<OrderOutbox | EventInbox, 'drain'>, maxMs: number): Promise<void> {
    const drained = worker.drain({ maxMs });
    await this.time.advance(maxMs);
    await drained;
  }

  /** Drains again and again while time passes: retries and look-ups come due. */
  async drainFor(outbox: OrderOutbox, minutes = 10): Promise<void> {
    for (let round = 0; round < minutes * 2; round += 1) {
      if (this.isBusy && round % 10 === 0) await this.addOther(outbox);
      const drained = outbox.drain({ maxMs: 60_000 });
      await this.time.advance(30_000);
      await drained;
    }
  }

  /** A sale whose callback succeeds, whatever the test's callbacks do. */
  async addOther(outbox: OrderOutbox): Promise<void> {
    this.#others += 1;
    const domain = `other-${this.#others}.example`;
    this.emulator.admin.list({ domain, price_cents: 250_000 });
    await outbox.add(intent(`other-${this.#others}`, { domain }));
  }

  /** The requests for orders: `POST` places one, `GET` lists them. */
  requests(method: 'GET' | 'POST') {
    return this.emulator.requests.filter(
      (request) => request.method === method && request.path.endsWith('/orders'),
    );
  }

  async stop(): Promise<void> {
    for (const outbox of this.#outboxes.splice(0)) await outbox.stop({ graceMs: 0 });
    await this.market.stop();
  }
}

/** A world for each test of a file. */
export function useOutboxWorld(options: EmulatorOptions = {}): OutboxWorld {
  const world = new OutboxWorld();
  beforeEach(() => world.begin(options));
  afterEach(() => world.stop());
  return world;
}

function withOthers(options: OrderOutboxOptions): OrderOutboxOptions {
  const spare =
    <Given extends unknown[]>(callback: (...given: Given) => unknown) =>
    (...given: Given) =>
      (given[1] as PaidSale).key.startsWith('other-') ? undefined : callback(...given);
  const { onPlaced } = options;
  return typeof onPlaced === 'function' ? { ...options, onPlaced: spare(onPlaced) } : options;
}

/** An emulator, a client and deliveries in manual time, for the tests of inbox and outbox. */

import { MarketClient, type ClientOptions, type Order } from 'market-partner-sdk';
import { signWebhook } from 'market-partner-sdk/webhooks';
import { MarketEmulator, type EmulatorOptions } from 'market-partner-sdk/testing';
import { ManualTime } from './manual-time.js';

export const secret = 'whsec_of_the_tests';

export class MarketWorld {
  readonly time: ManualTime;
  readonly emulator: MarketEmulator;
  readonly market: MarketClient;

  static async start(options: EmulatorOptions = {}): Promise<MarketWorld> {
    const time = new ManualTime();
    const emulator = await MarketEmulator.start({ clock: time.options.clock, ...options });
    return new MarketWorld(time, emulator);
  }

  private constructor(time: ManualTime, emulator: MarketEmulator) {
    this.time = time;
    this.emulator = emulator;
    this.market = this.client();
  }

  client(options: ClientOptions = {}): MarketClient {
    return new MarketClient({
      baseUrl: this.emulator.baseUrl,
      ...credentialOf(this.emulator),
      fetch: this.emulator.fetch,
      clock: this.time.options.clock,
      sleep: () => Promise.resolve(),
      ...options,
    });
  }

  /** Sells listed domains; each sale is an event. */
  async sell(count: number): Promise<Order[]> {
    const orders: Order[] = [];
    for (let index = 0; index < count; index += 1) {
      const domain = `sale-${this.emulator.requests.length}-${index}.example`;
      this.emulator.admin.list({ domain, price_cents: 100_000 });
      orders.push(
        await this.market.orders.create({ domain, expected_price: 100_000, currency: 'USD' }),
      );
    }
    return orders;
  }

  async events() {
    return this.market.events.list().toArray();
  }

  /** A delivery of an event, as the service sends it. */
  async delivery(event: object, partnerId = 'partner_1') {
    const body = JSON.stringify({ partner_id: partnerId, ...event });
    return { headers: { 'x-market-signature': signWebhook(body, secret) }, body };
  }

  async stop(): Promise<void> {
    await this.market.close();
    await this.emulator.stop();
  }
}

/** A client, some of whose methods of orders are others. */
export function withOrders(
  market: MarketClient,
  methods: Partial<Record<keyof MarketClient['orders'], (...args: never[]) => unknown>>,
) {
  const orders = new Proxy(market.orders, {
    get: (target, name: 'list') => methods[name] ?? target[name].bind(target),
  });
  return { orders, environment: market.environment };
}

/** The two fields of a credential that are options of a client. */
function credentialOf(emulator: MarketEmulator) {
  const { keyId, secret } = emulator.createCredential();
  return { keyId, secret };
}

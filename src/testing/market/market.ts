/** The state of the service. */

import { createHmac, randomBytes } from 'node:crypto';
import type { EmulatorClock } from '../clock.js';
import type { Environment } from '../credentials.js';
import type { Identifiers } from '../identifiers.js';
import { Account } from './account.js';
import type { EmulatorEvent } from './events.js';
import { Inventory } from './inventory.js';
import { activeSites, seedListings } from './seed.js';
import type { ListingInput, StoredOrder } from './records.js';
import { restoreAccount, snapshotAccount, type MarketSnapshot } from './snapshot.js';

interface MarketSettings {
  readonly clock: EmulatorClock;
  readonly identifiers: Identifiers;
  /** The beginning of the ids of this run's events. */
  readonly run: string;
  readonly seed: number;
  readonly inventory: readonly ListingInput[] | undefined;
  readonly historyRetentionMs: number;
  /** How long new events and orders stay out of their lists, in milliseconds. */
  readonly visibilityDelays: {
    readonly ofEvent: (type: string) => number;
    readonly ofOrder: () => number;
  };
  readonly onEvent: (account: Account, event: EmulatorEvent) => void;
}

/** The state of the whole service: inventories, accounts, orders and events. */
export class Market {
  readonly clock: EmulatorClock;
  readonly identifiers: Identifiers;
  /** Every event of every account, oldest first. */
  readonly events: EmulatorEvent[] = [];
  readonly orders = new Map<string, { readonly order: StoredOrder; readonly account: Account }>();
  /** Domains outside of the inventory that run a site and so cannot be brokered. */
  readonly activeSites = new Set<string>(activeSites);
  /** How many of the next orders are held for review at once. */
  ordersToHold = 0;
  refundsToHold = 0;
  #sales = 0;
  /** Never goes back, so that no id is used twice in a run. */
  #eventCount = 0;
  readonly #accounts = new Map<string, Account>();
  readonly #inventories = new Map<Environment, Inventory>();
  readonly #settings: MarketSettings;
  #tokenKey = randomBytes(32);

  constructor(settings: MarketSettings) {
    this.clock = settings.clock;
    this.identifiers = settings.identifiers;
    this.#settings = settings;
  }

  account(partnerId: string, environment: Environment): Account {
    const name = `${environment} ${partnerId}`;
    let account = this.#accounts.get(name);
    if (account === undefined) {
      account = new Account(
        partnerId,
        environment,
        this.clock.now(),
        this.#settings.historyRetentionMs,
      );
      this.#accounts.set(name, account);
    }
    return account;
  }

  accounts(): Account[] {
    return [...this.#accounts.values()];
  }

  /** Created on first use: most tests need one environment. */
  inventory(environment: Environment): Inventory {
    let inventory = this.#inventories.get(environment);
    if (inventory === undefined) {
      const { seed, inventory: listings = seedListings(seed, environment) } = this.#settings;
      inventory = new Inventory(listings);
      this.#inventories.set(environment, inventory);
    }
    return inventory;
  }

  emit(account: Account, type: string, data: Readonly<Record<string, unknown>>): EmulatorEvent {
    const { run, visibilityDelays, onEvent } = this.#settings;
    this.#eventCount += 1;
    const event: EmulatorEvent = {
      id: `evt_${run}${String(this.#eventCount).padStart(8, '0')}`,
      type,
      created_at: this.timestamp(),
      partner_id: account.partnerId,
      data,
    };
    this.events.push(event);
    account.history.add(event, this.clock.now() + visibilityDelays.ofEvent(type));
    onEvent(account, event);
    return event;
  }

  /** The place of the next sale, of any account and any kind, in the lists of sales. */
  nextSaleSeq(): number {
    this.#sales += 1;
    return this.#sales;
  }

  /** From when on the list of orders shows an order that is recorded now. */
  orderVisibleAt(): number {
    return this.clock.now() + this.#settings.visibilityDelays.ofOrder();
  }

  snapshot(): MarketSnapshot {
    const accounts = this.accounts();
    const visibility = new Map(
      accounts.flatMap(({ environment, history }) =>
        history.entries().map(({ event, visibleAt }) => [event, { environment, visibleAt }]),
      ),
    );
    return {
      accounts: accounts.map(snapshotAccount),
      events: this.events.map((event) => ({
        event,
        ...(visibility.get(event) ?? { environment: 'sandbox', visibleAt: 0 }),
      })),
      inventories: [...this.#inventories].map(([environment, inventory]) => ({
        environment,
        listings: [...inventory.all()],
      })),
      activeSites: [...this.activeSites],
      ordersToHold: this.ordersToHold,
      refundsToHold: this.refundsToHold,
      sales: this.#sales,
      eventCount: this.#eventCount,
      tokenKey: this.#tokenKey.toString('base64'),
    };
  }

  /** Replaces the whole state by that of a snapshot, which the market may keep and change. */
  restore(snapshot: MarketSnapshot): void {
    this.reset();
    for (const each of snapshot.accounts) {
      const account = this.account(each.partnerId, each.environment);
      restoreAccount(account, each);
      for (const order of account.orders) this.orders.set(order.public_id, { order, account });
    }
    for (const { event, environment, visibleAt } of snapshot.events) {
      this.events.push(event);
      this.account(event.partner_id, environment).history.add(event, visibleAt);
    }
    for (const { environment, listings } of snapshot.inventories) {
      this.inventory(environment).replaceAll(listings);
    }
    this.activeSites.clear();
    for (const domain of snapshot.activeSites) this.activeSites.add(domain);
    this.ordersToHold = snapshot.ordersToHold;
    this.refundsToHold = snapshot.refundsToHold ?? 0;
    this.#sales = snapshot.sales;
    const eventCount = snapshot.eventCount ?? snapshot.events.length;
    this.#eventCount = Math.max(this.#eventCount, eventCount);
    this.#tokenKey = Buffer.from(snapshot.tokenKey, 'base64');
  }

  /** Forgets everything but the listings of the start. */
  reset(): void {
    this.#accounts.clear();
    this.#inventories.clear();
    this.orders.clear();
    this.events.length = 0;
    this.activeSites.clear();
    for (const domain of activeSites) this.activeSites.add(domain);
    this.ordersToHold = this.refundsToHold = 0;
    this.#sales = 0;
  }

  /** The service's time as the service writes it: ISO 8601 in UTC. */
  timestamp(at: number = this.clock.now()): string {
    return new Date(at).toISOString();
  }

  /** A signed token: content, then its signature. */
  signToken(content: Readonly<Record<string, unknown>>): string {
    const payload = Buffer.from(JSON.stringify(content)).toString('base64url');
    return `${payload}.${this.#macOf(payload)}`;
  }

  /** The content of a token that {@link signToken} made; `undefined` for any other text. */
  readToken(token: string): Readonly<Record<string, unknown>> | undefined {
    const [payload = '', mac, ...rest] = token.split('.');
    if (mac === undefined || rest.length > 0 || mac !== this.#macOf(payload)) return undefined;
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<
      string,
      unknown
    >;
  }

  #macOf(payload: string): string {
    return createHmac('sha256', this.#tokenKey).update(payload).digest('base64url');
  }
}

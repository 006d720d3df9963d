import { createHmac, randomBytes } from 'node:crypto';
import type { EmulatorClock } from '../clock.js';
import type { Environment } from '../credentials.js';
import type { Identifiers } from '../identifiers.js';
import { Account } from './account.js';
import type { EmulatorEvent } from './events.js';
import { Inventory, type ListingInput } from './inventory.js';
import type { Order } from './orders.js';
import { activeSites, seedListings } from './seed.js';

/** The state of the whole service: what is listed, who has what, and what has happened. */
export class Market {
  readonly clock: EmulatorClock;
  readonly identifiers: Identifiers;
  /** Every event of every account, oldest first. */
  readonly events: EmulatorEvent[] = [];
  readonly orders = new Map<string, { readonly order: Order; readonly account: Account }>();
  /** Domains outside of the inventory that run a site and so cannot be brokered. */
  readonly activeSites = new Set<string>(activeSites);
  /** How many of the orders to come are held for review at once. */
  ordersToHold = 0;
  readonly #accounts = new Map<string, Account>();
  readonly #inventories = new Map<Environment, Inventory>();
  readonly #listings: (environment: Environment) => readonly ListingInput[];
  readonly #onEvent: (account: Account, event: EmulatorEvent) => void;
  readonly #tokenKey = randomBytes(32);

  constructor(settings: {
    readonly clock: EmulatorClock;
    readonly identifiers: Identifiers;
    readonly seed: number;
    readonly inventory: readonly ListingInput[] | undefined;
    readonly onEvent: (account: Account, event: EmulatorEvent) => void;
  }) {
    this.clock = settings.clock;
    this.identifiers = settings.identifiers;
    this.#listings = (environment) =>
      settings.inventory ?? seedListings(settings.seed, environment);
    this.#onEvent = settings.onEvent;
  }

  account(partnerId: string, environment: Environment): Account {
    const name = `${environment} ${partnerId}`;
    let account = this.#accounts.get(name);
    if (account === undefined) {
      account = new Account(partnerId, environment, this.clock.now());
      this.#accounts.set(name, account);
    }
    return account;
  }

  accounts(): Iterable<Account> {
    return this.#accounts.values();
  }

  /** Made when first asked for: most tests touch one environment. */
  inventory(environment: Environment): Inventory {
    let inventory = this.#inventories.get(environment);
    if (inventory === undefined) {
      inventory = new Inventory(this.#listings(environment));
      this.#inventories.set(environment, inventory);
    }
    return inventory;
  }

  emit(account: Account, type: string, data: Readonly<Record<string, unknown>>): EmulatorEvent {
    const event: EmulatorEvent = {
      id: `evt_${String(this.events.length + 1).padStart(8, '0')}`,
      type,
      created_at: this.timestamp(),
      partner_id: account.partnerId,
      data,
    };
    this.events.push(event);
    account.history.add(event);
    this.#onEvent(account, event);
    return event;
  }

  /** The service's time as the service writes it: ISO 8601 in UTC. */
  timestamp(at: number = this.clock.now()): string {
    return new Date(at).toISOString();
  }

  /** A token that only this service can have made: content, then its signature. */
  signToken(content: Readonly<Record<string, unknown>>): string {
    const payload = Buffer.from(JSON.stringify(content)).toString('base64url');
    return `${payload}.${this.#macOf(payload)}`;
  }

  /** The content of a token of this service; `undefined` for any other text. */
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

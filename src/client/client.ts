/** MarketClient: options in, six namespaces out. */

import type { Environment } from './assumptions.js';
import { bindMembers } from '../core/bind-members.js';
import { Engine } from './engine/engine.js';
import type { CallPromise } from './results/call-promise.js';
import type { RawRequest } from './options/raw-request.js';
import { createClientState, deriveClientState, type ClientState } from './engine/client-state.js';
import {
  normalizeOptions,
  overrideOptions,
  readClientOptions,
  type Config,
} from './options/config.js';
import type { ClientOptions, ClientSettings } from './options/client-options.js';
import { MarketError } from './errors/market-error.js';
import { Brokerage } from './resources/brokerage.js';
import { Checkout } from './resources/checkout.js';
import { Domains } from './resources/domains.js';
import { Events } from './resources/events.js';
import { Orders } from './resources/orders.js';
import { Referral } from './resources/referral.js';

const inspect = Symbol.for('nodejs.util.inspect.custom');

/** In the options of `withOptions`: the client that it was called on. A spread copy keeps it. */
const origin = Symbol('origin');

type DerivedOptions = ClientOptions & { readonly [origin]?: MarketClient };

/**
 * A client of the Partner Domain Marketplace: signs every request, retries what is safe to retry,
 * and never reports an order that may exist as a plain failure. For servers only.
 *
 * Make one and share it: it keeps connections, the service's rate limit and a correction of the
 * clock. `MARKET_BASE_URL`, `MARKET_KEY_ID` and `MARKET_SECRET` stand in for options left out.
 *
 * @throws {@link ConfigurationError} when an option is missing or wrong.
 *
 * @example
 * ```ts
 * import { MarketClient } from 'market-partner-sdk';
 *
 * const market = new MarketClient({
 *   baseUrl: 'https://market.example',
 *   keyId: 'mk_sandbox_1f0c',
 *   secret: process.env.MARKET_SECRET,
 * });
 * const [listing] = await market.domains.search('coffee shop');
 * console.log(listing?.domain, listing?.price_cents);
 * await market.close();
 * ```
 */
export class MarketClient {
  /** What is for sale, and for how much (scope `search`). */
  readonly domains: Domains;
  /** Quotes, orders, refunds, settlements (scopes `buy`, `report`). */
  readonly orders: Orders;
  /** Hosted checkout (scope `embed`). */
  readonly checkout: Checkout;
  /** Acquisition cases (scopes `broker`, `report`). */
  readonly brokerage: Brokerage;
  /** Tracking links and what came of them (scopes `refer`, `report`). */
  readonly referral: Referral;
  /** The history of events, and where they are delivered (scope `webhook`). */
  readonly events: Events;

  /**
   * The credential's environment, from the marker in its key id; `undefined` when it has none that
   * is known, and always with `credentials`: {@link resolveEnvironment} asks for the first one. Sandbox
   * and live share one address: only the credential decides.
   */
  readonly environment: Environment | undefined;

  readonly #options: ClientSettings;
  readonly #config: Config;
  readonly #state: ClientState;
  readonly #engine: Engine;

  /** Whether `withOptions` of another client made this one. */
  readonly #isDerived: boolean;

  constructor(options: ClientOptions = {}) {
    this.#options = readClientOptions(options);
    this.#config = normalizeOptions(this.#options);
    const from = (options as DerivedOptions)[origin];
    this.#isDerived = from !== undefined;
    this.#state =
      from === undefined
        ? createClientState(this.#config)
        : deriveClientState(this.#config, { config: from.#config, state: from.#state });
    this.#engine = new Engine(this.#config, this.#state);
    this.environment = this.#config.environment;
    this.domains = new Domains(this.#engine);
    this.orders = new Orders(this.#engine);
    this.checkout = new Checkout(this.#engine);
    this.brokerage = new Brokerage(this.#engine);
    this.referral = new Referral(this.#engine);
    this.events = new Events(this.#engine);
    const { domains, orders, checkout, brokerage, referral, events } = this;
    for (const each of [this, domains, orders, checkout, brokerage, referral, events]) {
      bindMembers(each);
    }
  }

  /**
   * A client with other options on the same connections; an option that is left out or `undefined`
   * stays as it is. With the same address and credential, the two share the rate limit and the
   * correction of the clock. A subclass gets an instance of itself: its constructor is called with
   * the options, and passes them to `super`.
   *
   * @throws {@link ConfigurationError} when an option is wrong.
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const patient = market.withOptions({ maxRetries: 5, deadlineMs: 300_000 });
   * await patient.orders.get('ord_1001');
   * ```
   */
  withOptions(options: ClientOptions): this {
    const Class = this.constructor as new (options: DerivedOptions) => this;
    const derived = new Class({ ...overrideOptions(this.#options, options), [origin]: this });
    // With a constructor of other arguments, the client would silently have other options.
    if (!derived.#isDerived) {
      throw new MarketError(
        `withOptions() needs a constructor of ${Class.name} that takes the client's options first and passes them to super(), such as constructor(options) { super(options) }. Nothing was sent.`,
      );
    }
    return derived;
  }

  /**
   * A signed call of any path of the service, for what this version has no method for. Retried by
   * the rules of the path where the specification has it, else as its method allows.
   *
   * The response's JSON is returned as it is, `undefined` if the body is empty, as with a 204.
   *
   * @throws {@link InvalidRequestError} when the path would not be sent as it is signed.
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const order = await market.request<{ status: string }>({ path: '/orders/ord_1001' });
   * console.log(order.status);
   * ```
   */
  request<T = unknown>(request: RawRequest): CallPromise<T> {
    return this.#engine.request<T>(request);
  }

  /**
   * Until when a 429's Retry-After holds the calls of this client, by the machine's clock;
   * `undefined` when calls are sent. A hold ends after `maxRateLimitHoldMs` at the latest: then one
   * call at a time probes, and the first response other than a 429 ends it.
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * await market.domains.search('coffee');
   * console.log(market.rateLimitedUntil?.toISOString() ?? 'no rate limit');
   * ```
   */
  get rateLimitedUntil(): Date | undefined {
    const heldMs = this.#state.credentials.current.pacer.heldMs(this.#config.monotonicClock());
    return heldMs === 0 ? undefined : new Date(this.#config.clock() + heldMs);
  }

  /**
   * The service's time in Unix milliseconds: this machine's clock, corrected once a response has
   * shown that it is wrong. For a countdown to a quote's `expires_at`.
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const { expires_at = '' } = await market.orders.quote({ domain: 'brew.example' });
   * const secondsLeft = Math.floor((Date.parse(expires_at) - market.now()) / 1000);
   * console.log(secondsLeft > 0 ? 'the price is firm' : 'expired');
   * ```
   */
  now(): number {
    return this.#state.clock.nowMs();
  }

  /**
   * Ends the hold of a Retry-After, and the pace after it: calls that wait are sent now. For a hold that is known to
   * be over, or that a proxy caused.
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * market.clearRateLimit();
   * await market.domains.search('coffee');
   * ```
   */
  clearRateLimit(): void {
    this.#state.credentials.current.pacer.lift();
  }

  /**
   * The credential's environment, also with `credentials`: the function is called unless it was before.
   * Nothing is sent. It stays the same for the life of the client.
   *
   * @throws {@link ConfigurationError} when `credentials` fails.
   */
  async resolveEnvironment(): Promise<Environment | undefined> {
    const { current } = this.#state.credentials;
    const isKnown = this.#config.credentials === undefined || current.keyId !== undefined;
    return (isKnown ? current : await this.#state.credentials.get()).environment;
  }

  /**
   * Refuses further calls and ends the connections once the calls under way are done. A
   * `dispatcher` or `fetch` that you gave stays yours to close.
   *
   * Clients made from this one with `withOptions` are closed with it, unless they were given a
   * `dispatcher` or `fetch` of their own. Closing one of them closes only that one.
   */
  async close(): Promise<void> {
    await this.#state.transport.close();
  }

  /** Same as {@link close}, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** What may be shown of a client: never its secret. */
  toJSON(): Record<string, unknown> {
    const { origin, prefix, environment } = this.#config;
    const { keyId } = this.#state.credentials.current;
    return { baseUrl: origin + prefix, keyId, environment };
  }

  /** @internal */
  [inspect](_depth: number, options: object, format?: (value: unknown, options: object) => string) {
    return `MarketClient ${format?.(this.toJSON(), options) ?? ''}`.trimEnd();
  }
}

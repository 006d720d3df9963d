/** The client: options in, six namespaces out. */

import type { Environment } from './assumptions.js';
import { Engine } from './engine/engine.js';
import type { CallPromise } from './engine/call-promise.js';
import type { RawRequest } from './engine/raw-request.js';
import { createRuntime, inheritRuntime, type Runtime } from './engine/runtime.js';
import { normalizeOptions, overrideOptions, withVariables, type Config } from './config.js';
import type { ClientOptions } from './options.js';
import { Brokerage } from './resources/brokerage.js';
import { Checkout } from './resources/checkout.js';
import { Domains } from './resources/domains.js';
import { Events } from './resources/events.js';
import { Orders } from './resources/orders.js';
import { Referral } from './resources/referral.js';

/** How `withOptions` hands a client's connections to the next. */
const parent = Symbol('parent');

const inspect = Symbol.for('nodejs.util.inspect.custom');

interface Inherited {
  readonly [parent]?: { readonly config: Config; readonly runtime: Runtime };
}

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
   * is known. Sandbox and live share one address: the credential alone decides.
   */
  readonly environment: Environment | undefined;

  readonly #options: ClientOptions;
  readonly #config: Config;
  readonly #runtime: Runtime;
  readonly #engine: Engine;

  constructor(options: ClientOptions = {}) {
    const { [parent]: from, ...given } = options as ClientOptions & Inherited;
    this.#options = withVariables(given);
    this.#config = normalizeOptions(this.#options);
    this.#runtime =
      from === undefined ? createRuntime(this.#config) : inheritRuntime(this.#config, from);
    this.#engine = new Engine(this.#config, this.#runtime);
    this.environment = this.#config.environment;
    this.domains = new Domains(this.#engine);
    this.orders = new Orders(this.#engine);
    this.checkout = new Checkout(this.#engine);
    this.brokerage = new Brokerage(this.#engine);
    this.referral = new Referral(this.#engine);
    this.events = new Events(this.#engine);
  }

  /**
   * A client with other options on the same connections; an option that is left out or `undefined`
   * stays as it is. The two share what the service has said of its rate limit and of the time, as
   * long as address and credential are the same.
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
  withOptions(options: ClientOptions): MarketClient {
    const inherited: Inherited = { [parent]: { config: this.#config, runtime: this.#runtime } };
    return new MarketClient({ ...overrideOptions(this.#options, options), ...inherited });
  }

  /**
   * A signed call of any path of the service, for what this version has no method for. Retried by
   * the rules of the path where the specification has it, else as its method allows.
   *
   * The answer's JSON is given as it is, `undefined` where the body is empty, as with a 204.
   *
   * @throws {@link InvalidRequestError} when the path would not be sent as it is signed.
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const answer = await market.request<{ status: string }>({ path: '/orders/ord_1001' });
   * console.log(answer.status);
   * ```
   */
  request<T = unknown>(request: RawRequest): CallPromise<T> {
    return this.#engine.request<T>(request);
  }

  /**
   * Refuses further calls and ends the connections once the calls under way are done. A
   * `dispatcher` or `fetch` that you gave stays yours to close.
   *
   * Clients made from this one with `withOptions` are closed with it, unless they were given a
   * `dispatcher` or `fetch` of their own. Closing one of them closes that one alone.
   */
  async close(): Promise<void> {
    await this.#runtime.connection.close();
  }

  /** Same as {@link close}, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** What may be shown of a client: never its secret. */
  toJSON(): Record<string, unknown> {
    const { origin, prefix, signer, environment } = this.#config;
    return { baseUrl: origin + prefix, keyId: signer.keyId, environment };
  }

  /** @internal */
  [inspect](_depth: number, options: object, format?: (value: unknown, options: object) => string) {
    return `MarketClient ${format?.(this.toJSON(), options) ?? ''}`.trimEnd();
  }
}

/** The inventory: search, one domain, availability, prices (specification, part 4.1). */

import { endpoints } from '../endpoints.js';
import type { CallPromise } from '../results/call-promise.js';
import type { Engine } from '../engine/engine.js';
import type { Availability, DomainListing, Pricing } from '../model/index.js';
import type { RequestOptions } from '../options/request-options.js';
import { checkMany, type CheckManyOptions, type CheckResult } from './check-many.js';

/** `market.domains`: what is for sale, and for how much. */
export class Domains {
  readonly #engine: Engine;

  /** @internal */
  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Searches the listed domains by meaning and by keyword. Gives the best matches, at most 5;
   * there is no way to list the whole inventory. Scope: `search`.
   *
   * @param q - what to look for; not blank.
   * @throws {@link InvalidRequestError} when `q` is blank.
   * @see specification, part 4.1: GET /domains/search
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * for (const listing of await market.domains.search('coffee shop')) {
   *   console.log(listing.domain, listing.price_cents);
   * }
   * ```
   */
  search(q: string, options?: RequestOptions): CallPromise<DomainListing[]> {
    return this.#engine.callList(endpoints.domains.search, { query: { q } }, options);
  }

  /**
   * Reads one domain: price, availability and metadata. Scope: `search`.
   *
   * @param name - the domain name, in any script and case; it is sent as lower-case A-labels.
   * @throws {@link InvalidRequestError} when `name` is not a domain name.
   * @throws {@link NotFoundError} when it is not listed.
   * @see specification, part 4.1: GET /domains/\{name\}
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const listing = await market.domains.get('brew.example');
   * console.log(listing.price_cents, listing.metadata);
   * ```
   */
  get(name: string, options?: RequestOptions): CallPromise<DomainListing> {
    return this.#engine.call(endpoints.domains.get, { param: name }, options);
  }

  /**
   * Asks whether a domain is for sale. A domain that is not listed is a response,
   * `available: false`, not an error. Scope: `search`.
   *
   * @throws {@link InvalidRequestError} when `domain` is not a domain name.
   * @see specification, part 4.1: GET /availability
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const { available } = await market.domains.checkAvailability('brew.example');
   * console.log(available ? 'for sale' : 'not for sale');
   * ```
   */
  checkAvailability(domain: string, options?: RequestOptions): CallPromise<Availability> {
    return this.#engine.call(endpoints.domains.checkAvailability, { query: { domain } }, options);
  }

  /**
   * Asks for the availability of many domains, some at a time. Yields a result for each name, in the
   * order of the names: its availability, or the error of its call. A name that comes twice, also in
   * another spelling, is asked for once. Leaving the loop aborts the calls under way. Scope: `search`.
   *
   * @param names - any iterable of domain names
   * @throws {@link InvalidRequestError} from the loop, when `names` or an option is not valid; nothing was sent.
   * @throws {@link AbortedError} from the loop, when `signal` aborts.
   * @see specification, part 4.1: GET /availability
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const names = ['brew.example', 'unlisted.example'];
   * for await (const { domain, availability, error } of market.domains.checkMany(names)) {
   *   console.log(domain, availability === undefined ? error : availability.available);
   * }
   * ```
   */
  checkMany(names: Iterable<string>, options?: CheckManyOptions): AsyncIterable<CheckResult> {
    return checkMany((domain, each) => this.checkAvailability(domain, each), names, options);
  }

  /**
   * Reads a domain's buy-now price and floor price, in minor currency units. Scope: `search`.
   *
   * @throws {@link InvalidRequestError} when `domain` is not a domain name.
   * @throws {@link NotFoundError} when it is not listed.
   * @see specification, part 4.1: GET /pricing
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const pricing = await market.domains.getPricing('brew.example');
   * console.log(pricing.buy_now_price_cents, pricing.currency);
   * ```
   */
  getPricing(domain: string, options?: RequestOptions): CallPromise<Pricing> {
    return this.#engine.call(endpoints.domains.getPricing, { query: { domain } }, options);
  }
}

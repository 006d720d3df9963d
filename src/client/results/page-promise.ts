/** PagePromise: the promise of a list's first page, and an iterable over all pages. */

import { CallPromise, hideConstructor } from './call-promise.js';
import type { Page, ToArrayOptions } from './page.js';

type ItemOf<P> = P extends Page<infer T> ? T : never;

/**
 * A promise of a list's first page, and an async iterable over the items of all pages.
 *
 * @example
 * ```ts
 * import { MarketClient } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * for await (const order of market.orders.list({ status: 'SETTLED' })) {
 *   console.log(order.public_id);
 * }
 * const newest = await market.orders.list().toArray({ limit: 10 });
 * const firstPage = await market.orders.list();
 * ```
 */
export class PagePromise<P extends Page<unknown>>
  extends CallPromise<P>
  implements AsyncIterable<ItemOf<P>>
{
  static {
    hideConstructor(this);
  }

  /** Page by page instead of item by item. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    yield* (await this).pages();
  }

  /** The items of all pages; each page is read when it is due. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ItemOf<P>, void, undefined> {
    yield* (await this) as unknown as AsyncIterable<ItemOf<P>>;
  }

  /** Collects the items of all pages, or the first `limit` of them. */
  async toArray(options: ToArrayOptions = {}): Promise<ItemOf<P>[]> {
    return (await this).toArray(options) as Promise<ItemOf<P>[]>;
  }
}

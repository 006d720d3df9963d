/**
 * One page of a list, and the way to the next. Only the cursor is trusted: an empty page whose
 * cursor moved goes on, and a cursor that comes back ends in an error instead of a loop.
 */

import type { CallResponse } from '../engine/call-promise.js';
import { MarketError, type CallFacts } from '../errors/market-error.js';
import { UnexpectedResponseError } from '../errors/no-answer.js';

/**
 * Gives the page that starts at a cursor, or the first one. `leaving` fires when nobody waits for
 * it any more.
 */
export type FetchPage<P> = (
  cursor: string | undefined,
  trail: Trail,
  leaving?: AbortSignal,
) => Promise<P>;

/**
 * Enough memory of the way here to notice a circle of any length (Brent's algorithm): one cursor
 * to compare with, replaced after 1, 2, 4, 8 … pages. A set of all cursors would grow with the list.
 */
export interface Trail {
  readonly anchor: string | undefined;
  readonly pagesSinceAnchor: number;
  readonly reach: number;
}

export const newTrail: Trail = { anchor: undefined, pagesSinceAnchor: 0, reach: 1 };

/** What a page is made of. */
export interface PageParts<T> {
  readonly items: T[];
  readonly nextCursor: string | undefined;
  readonly call: Pick<CallFacts, 'method' | 'path'>;
  readonly response: CallResponse;
  /** The cursor that was sent for this page. */
  readonly sentCursor: string | undefined;
  readonly trail: Trail;
  readonly fetchPage: FetchPage<Page<T>>;
}

/** How many items to collect. */
export interface ToArrayOptions {
  /** At most so many items, a whole number from 0 up; no page beyond them is read. Default: all. */
  limit?: number | undefined;
}

/**
 * A page of a list: its items, and the ways to the rest.
 *
 * @example
 * ```ts
 * import { MarketClient } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * let page = await market.orders.list({ status: 'SETTLED' });
 * for (;;) {
 *   for (const order of page.items) console.log(order.public_id);
 *   if (!page.hasNextPage()) break;
 *   page = await page.nextPage();
 * }
 * ```
 */
export class Page<T> implements AsyncIterable<T> {
  /** The items of this page, as received. */
  readonly items: T[];
  /**
   * The position after this page: give it to a later call to go on from here. It stays set on the
   * last page of a list that ends by repeating it, as the event history does.
   */
  readonly nextCursor: string | undefined;
  /** The page's JSON as received. */
  readonly body: unknown;
  readonly #parts: PageParts<T>;

  /** @internal Pages are made by the client's methods. */
  constructor(parts: PageParts<T>) {
    this.items = parts.items;
    this.nextCursor = parts.nextCursor;
    this.body = parts.response.body;
    this.#parts = parts;
  }

  /** Whether the cursor leads on. The next page may still turn out to be empty. */
  hasNextPage(): boolean {
    if (this.nextCursor === undefined) return false;
    // An empty page that repeats the cursor sent is the end: there is nothing new yet.
    return !(this.items.length === 0 && this.nextCursor === this.#parts.sentCursor);
  }

  /**
   * Reads the next page.
   *
   * @throws {@link MarketError} when there is none: ask {@link hasNextPage} first.
   * @throws {@link UnexpectedResponseError} when the cursor leads back to a page that was read.
   */
  nextPage(): Promise<this> {
    return this.#next();
  }

  /** This page and the following ones, one by one. */
  pages(): AsyncGenerator<this, void, undefined> {
    return pagesFrom(this);
  }

  /**
   * The items of this page and of all following ones. The next page is asked for when half of the
   * present one is consumed, and given up when the loop is left before.
   */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    return Page.#itemsFrom(this);
  }

  /**
   * Collects items of this page and the following ones.
   *
   * @throws {@link MarketError} when `limit` is not a whole number from 0 up.
   */
  async toArray({ limit = Infinity }: ToArrayOptions = {}): Promise<T[]> {
    if (limit !== Infinity && !(Number.isInteger(limit) && limit >= 0)) {
      throw new MarketError('"limit" must be a whole number from 0 up');
    }
    const items: T[] = [];
    for await (const page of this.pages()) {
      // Not spread into one push: a long page would be more arguments than the stack holds.
      for (const item of page.items.slice(0, limit - items.length)) items.push(item);
      if (items.length >= limit) break;
    }
    return items;
  }

  static async *#itemsFrom<T>(first: Page<T>): AsyncGenerator<T, void, undefined> {
    const left = new AbortController();
    try {
      for (let page = first; ;) {
        let ahead: Promise<Page<T>> | undefined;
        const half = Math.floor(page.items.length / 2);
        for (const [index, item] of page.items.entries()) {
          if (index === half && index > 0 && page.hasNextPage()) {
            ahead = page.#next(left.signal);
            // Its failure is told when the page is due, not while items are still being consumed.
            ahead.catch(() => undefined);
          }
          yield item;
        }
        if (!page.hasNextPage()) return;
        page = await (ahead ?? page.#next(left.signal));
      }
    } finally {
      left.abort(new Error('the loop was left'));
    }
  }

  async #next(leaving?: AbortSignal): Promise<this> {
    const { nextCursor } = this;
    if (nextCursor === undefined || !this.hasNextPage()) {
      throw new MarketError('there is no next page: ask hasNextPage() first');
    }
    const { trail, sentCursor, fetchPage } = this.#parts;
    if (nextCursor === sentCursor || nextCursor === trail.anchor) throw this.#stuck(nextCursor);
    return (await fetchPage(nextCursor, follow(trail, nextCursor), leaving)) as this;
  }

  #stuck(cursor: string): UnexpectedResponseError {
    const { call, response } = this.#parts;
    const { method, path } = call;
    const { status, headers, requestId, attempts } = response;
    return new UnexpectedResponseError(
      `${method ?? ''} ${path ?? ''} does not move on: the cursor "${cursor.slice(0, 100)}" leads back to a page that was read already.`,
      { method, path, status, headers, requestId, attempts, outcome: 'unknown' },
    );
  }
}

async function* pagesFrom<P extends Page<unknown>>(first: P): AsyncGenerator<P, void, undefined> {
  for (let page = first; ; page = await page.nextPage()) {
    yield page;
    if (!page.hasNextPage()) return;
  }
}

function follow(trail: Trail, cursor: string): Trail {
  return trail.pagesSinceAnchor === trail.reach
    ? { anchor: cursor, pagesSinceAnchor: 0, reach: trail.reach * 2 }
    : { ...trail, pagesSinceAnchor: trail.pagesSinceAnchor + 1 };
}

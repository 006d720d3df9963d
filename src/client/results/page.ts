/**
 * Page: one page of a list, and how to read the next. Only the cursor decides: an empty page whose
 * cursor moved leads on, and a cursor that returns ends in an error instead of a loop.
 */

import { bindMembers } from '../../core/bind-members.js';
import type { CallResponse } from './call-promise.js';
import { MarketError, type CallFacts } from '../errors/market-error.js';
import { UnexpectedResponseError } from '../errors/unexpected-response-error.js';
import { isSamePage } from '../envelope/same-page.js';
import { memberNames } from '../../core/errors/member-names.js';
import * as z from 'zod/mini';
import { ruled } from '../../core/schema/must.js';
import {
  checkOptions,
  lazily,
  strict,
  wholeNumber,
  withDefault,
  type Fields,
  type OptionErrorFactory,
} from '../../core/schema/options.js';

/** Fetches the page at a cursor. `signal` aborts when the iteration is abandoned. */
type FetchPage<P> = (cursor: string, history: CursorHistory, signal?: AbortSignal) => Promise<P>;

/**
 * What is needed to notice a loop of any length (Brent's algorithm): one cursor to compare with,
 * replaced after 1, 2, 4, 8 … pages. A set of all cursors would grow with the list.
 */
export interface CursorHistory {
  readonly anchor: string | undefined;
  readonly pagesSinceAnchor: number;
  readonly untilNextAnchor: number;
  readonly pages: number;
  /** Those without items in a row. */
  readonly emptyPages: number;
  readonly items: number;
}

export const emptyHistory: CursorHistory = {
  anchor: undefined,
  pagesSinceAnchor: 0,
  untilNextAnchor: 1,
  pages: 1,
  emptyPages: 0,
  items: 0,
};

/** A service that invents a cursor for each page would keep a program reading without end. */
const mostPages = 10_000;
const mostEmptyPages = 1_000;

export interface PageInit<T> {
  readonly items: T[];
  readonly nextCursor: string | undefined;
  /** What says that there is more, if that cannot be read. */
  readonly unreadable: string | undefined;
  readonly call: Pick<CallFacts, 'method' | 'path'>;
  readonly response: CallResponse;
  /** The cursor that was sent for this page. */
  readonly sentCursor: string | undefined;
  readonly history: CursorHistory;
  readonly fetchPage: FetchPage<Page<T>>;
}

/** Options of `toArray`. */
export interface ToArrayOptions {
  /** The most items to collect, a whole number from 0 up. No page beyond them is read. Default: all. */
  limit?: number | undefined;
}

/** A misspelled limit would collect the whole list. */
const toArrayOptions = lazily(() =>
  strict({
    limit: withDefault(
      z.union([wholeNumber(0), z.literal(Infinity)], ruled('must be a whole number from 0 up')),
      Infinity,
    ),
  } satisfies Fields<ToArrayOptions>),
);

/** Not an `InvalidRequestError`: the request of the first page was sent. */
const invalidOption: OptionErrorFactory = (name, rule, cause) =>
  new MarketError(`"${name}" ${rule}`, {}, { cause });

/**
 * A page of a list: its items, and how to read the rest.
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
   * The position after this page: pass it to a later call to continue from here. It stays set on
   * the last page of a list that ends by repeating it, as the event history does.
   */
  readonly nextCursor: string | undefined;
  readonly #init: PageInit<T>;

  /** @internal The client's methods create it. */
  constructor(init: PageInit<T>) {
    this.items = init.items;
    this.nextCursor = init.nextCursor;
    this.#init = init;
    bindMembers(this);
  }

  /** The page's JSON as received. Like {@link response} it is not part of the page's own JSON. */
  get body(): unknown {
    return this.#init.response.body;
  }

  /** The HTTP response that the page was read from: status, headers, request id. */
  get response(): CallResponse {
    return this.#init.response;
  }

  /**
   * Whether the list goes on. The next page may still turn out to be empty. Without a {@link nextCursor} the response
   * says that there is more in a form that this client cannot follow: then {@link nextPage} says what it saw.
   */
  hasNextPage(): boolean {
    if (this.nextCursor === undefined) return this.#init.unreadable !== undefined;
    // An empty page that repeats the sent cursor is the end of the list so far.
    return !(this.items.length === 0 && this.nextCursor === this.#init.sentCursor);
  }

  /**
   * Reads the next page.
   *
   * @throws {@link MarketError} when there is none: ask {@link hasNextPage} first.
   * @throws {@link UnexpectedResponseError} when the response says that there is more and not where, when the next page
   * repeats this one, and when the list does not end: its cursor leads back to a page that was read, 1,000 pages in a
   * row had no items, or 10,000 pages were read. Begin again from {@link nextCursor} to read a longer list.
   */
  nextPage(): Promise<this> {
    return this.#next();
  }

  /** This page and the following ones, one by one. */
  pages(): AsyncGenerator<this, void, undefined> {
    return pagesFrom(this);
  }

  /**
   * The items of this page and of all following ones. The next page is requested when half of this
   * one is consumed, and cancelled when the loop ends before.
   */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    return Page.#itemsFrom(this);
  }

  /**
   * Collects items of this page and the following ones.
   *
   * @throws {@link MarketError} when `limit` is not a whole number from 0 up.
   */
  async toArray(options: ToArrayOptions = {}): Promise<T[]> {
    const { limit } = checkOptions(toArrayOptions, options, invalidOption, {
      example: '{ limit: 100 }',
    });
    const items: T[] = [];
    for await (const page of this.pages()) {
      // One push per item: spreading a long page into one call overflows the stack.
      for (const item of page.items.slice(0, limit - items.length)) items.push(item);
      if (items.length >= limit) break;
    }
    return items;
  }

  static async *#itemsFrom<T>(first: Page<T>): AsyncGenerator<T, void, undefined> {
    const abandoned = new AbortController();
    try {
      for (let page = first; ;) {
        let ahead: Promise<Page<T>> | undefined;
        const half = Math.floor(page.items.length / 2);
        for (const [index, item] of page.items.entries()) {
          if (index === half && index > 0 && page.hasNextPage()) {
            ahead = page.#next(abandoned.signal);
            // Reported when the page is due, not while items are still being consumed.
            ahead.catch(() => undefined);
          }
          yield item;
        }
        if (!page.hasNextPage()) return;
        page = await (ahead ?? page.#next(abandoned.signal));
      }
    } finally {
      abandoned.abort(new Error('the loop was left'));
    }
  }

  async #next(signal?: AbortSignal): Promise<this> {
    const { nextCursor } = this;
    const { history, sentCursor, fetchPage, unreadable } = this.#init;
    if (nextCursor === undefined && unreadable !== undefined) {
      throw this.#listError(
        `has more than this client can read: ${unreadable}. Its JSON has ${memberNames(this.body)}: compare that with "where a cursor is" in docs/assumptions.md`,
      );
    }
    if (nextCursor === undefined || !this.hasNextPage()) {
      throw new MarketError('there is no next page. Check hasNextPage() first');
    }
    if (nextCursor === sentCursor || nextCursor === history.anchor) {
      throw this.#endlessError(`its cursor leads back to a page that was read already`);
    }
    const next = advance(history, nextCursor, this.items.length);
    if (next.emptyPages >= mostEmptyPages) {
      throw this.#endlessError(`${mostEmptyPages} pages in a row had no items`);
    }
    if (next.pages > mostPages) throw this.#endlessError(`${mostPages} pages were read`);
    const page = (await fetchPage(nextCursor, next, signal)) as this;
    if (isSamePage(page.items, this.items)) {
      throw this.#endlessError(
        'the page at its cursor repeats the one before. Compare "parameters of paged lists" in docs/assumptions.md',
      );
    }
    return page;
  }

  #endlessError(reason: string): UnexpectedResponseError {
    return this.#listError(`does not end: ${reason}`);
  }

  #listError(reason: string): UnexpectedResponseError {
    const { call, response } = this.#init;
    const { method, path } = call;
    const { status, headers, requestId, attempts } = response;
    return new UnexpectedResponseError(`${method ?? ''} ${path ?? ''} ${reason}.`, {
      method,
      path,
      response: { status, headers },
      requestId,
      attempts,
      outcome: 'unknown',
    });
  }
}

async function* pagesFrom<P extends Page<unknown>>(first: P): AsyncGenerator<P, void, undefined> {
  for (let page = first; ; page = await page.nextPage()) {
    yield page;
    if (!page.hasNextPage()) return;
  }
}

function advance(history: CursorHistory, cursor: string, items: number): CursorHistory {
  const { anchor, pagesSinceAnchor, untilNextAnchor } = history;
  const isDue = pagesSinceAnchor === untilNextAnchor;
  return {
    anchor: isDue ? cursor : anchor,
    pagesSinceAnchor: isDue ? 0 : pagesSinceAnchor + 1,
    untilNextAnchor: isDue ? untilNextAnchor * 2 : untilNextAnchor,
    pages: history.pages + 1,
    emptyPages: items === 0 ? history.emptyPages + 1 : 0,
    items: history.items + items,
  };
}

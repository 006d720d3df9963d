import { getEventListeners } from 'node:events';
import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { AbortedError, MarketError, Page, UnexpectedResponseError } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import { mockMarket, parameter } from '../../support/mock-market.js';
import { collect, listOf, settled, threePages, type Pages } from './lists.js';

describe('iteration over a list', () => {
  it('gives the items of all pages in their order', async () => {
    const { market, asked } = listOf(threePages);
    expect(await collect(market.orders.list())).toEqual({ items: [1, 2, 3, 4, 5] });
    expect(asked).toEqual([null, 'b', 'c']);
  });

  it('starts at the cursor that the caller gives', async () => {
    const { market, asked } = listOf(threePages);
    expect((await collect(market.orders.list({ cursor: 'b' }))).items).toEqual([3, 4, 5]);
    expect(asked).toEqual(['b', 'c']);
  });

  it('can be done twice over one promise: the first page is kept, the others are read again', async () => {
    const { market, asked } = listOf(threePages);
    const list = market.orders.list();
    expect((await collect(list)).items).toEqual([1, 2, 3, 4, 5]);
    expect((await collect(list)).items).toEqual([1, 2, 3, 4, 5]);
    expect(asked).toEqual([null, 'b', 'c', 'b', 'c']);
  });

  it('can start at any page', async () => {
    const { market } = listOf(threePages);
    const second = await (await market.orders.list()).nextPage();
    expect((await collect(second)).items).toEqual([3, 4, 5]);
  });

  it('reads filters and options once: what the caller does to them later counts for nothing', async () => {
    const { market, sent } = listOf(threePages);
    const filters = { status: 'SETTLED' };
    const options = { headers: { 'X-A': '1' } };
    const page = await market.orders.list(filters, options);
    filters.status = 'REFUNDED';
    options.headers = { 'X-A': '2' };
    await page.nextPage();
    expect(sent[1]?.target).toContain('status=SETTLED');
    expect(sent[1]?.headers['x-a']).toBe('1');
  });

  it('fails with the error of the page that failed, after the items before it', async () => {
    const { market } = listOf({ '': { items: [1, 2], next: 'gone' } });
    const { items, error } = await collect(market.orders.list());
    expect(items).toEqual([1, 2]);
    expect(error).toMatchObject({ name: 'ValidationError', path: '/api/partner/v1/orders' });
  });

  it('fails at once where the first page does', async () => {
    const { market } = listOf({});
    expect((await collect(market.orders.list())).error).toMatchObject({ name: 'ValidationError' });
    expect((await collect(market.orders.list().pages())).error).toBeDefined();
    expect(await rejectionOf(market.orders.list().toArray())).toBeInstanceOf(MarketError);
  });
});

describe('an empty page', () => {
  it('whose cursor moved goes on', async () => {
    const { market } = listOf({
      '': { items: [], next: 'b' },
      b: { items: [], next: 'c' },
      c: { items: [1] },
    });
    expect(await collect(market.orders.list())).toEqual({ items: [1] });
  });

  it('whose cursor did not move is the end, and its cursor is kept for the next time', async () => {
    const { market, asked } = listOf({
      '': { items: [1], next: 'end' },
      end: { items: [], next: 'end' },
    });
    expect(await collect(market.orders.list())).toEqual({ items: [1] });
    expect(asked).toEqual([null, 'end']);
    const last = await market.orders.list({ cursor: 'end' });
    expect(last.hasNextPage()).toBe(false);
    expect(last.nextCursor).toBe('end');
  });

  it('is the end of a history that has nothing new after the known event', async () => {
    const { market, sent } = mockMarket(() => ({ events: [], next_cursor: 'evt_9' }));
    expect(await collect(market.events.list({ after_id: 'evt_9' }))).toEqual({ items: [] });
    expect(sent).toHaveLength(1);
  });

  it('without a cursor is an empty list', async () => {
    const { market } = listOf({ '': { items: [] } });
    expect(await collect(market.orders.list())).toEqual({ items: [] });
    expect(await market.orders.list().toArray()).toEqual([]);
  });
});

describe('a cursor that leads back', () => {
  it('to the very page fails, and names the call', async () => {
    const { market, asked } = listOf({ b: { items: [1], next: 'b' } });
    const { error } = await collect(market.orders.list({ cursor: 'b' }));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ method: 'GET', path: '/api/partner/v1/orders', attempts: 1 });
    expect(error?.message).toContain(
      'GET /api/partner/v1/orders does not end: its cursor leads back',
    );
    expect(asked).toEqual(['b']);
  });

  it.each([1, 2, 3, 7, 50])('in a circle of %i fails, by items and by pages', async (length) => {
    for (const items of [[1, 2], [1], []]) {
      // An empty page whose cursor did not move is the end.
      if (length === 1 && items.length === 0) continue;
      const pageAt = (at: number) => [`c${at}`, { items, next: `c${(at + 1) % length}` }];
      const circle = Object.fromEntries(Array.from({ length }, (_none, at) => pageAt(at))) as Pages;
      const { market, asked } = listOf({ '': { items, next: 'c0' }, ...circle });
      for (const list of [market.orders.list(), market.orders.list().pages()]) {
        const { error } = await collect(list, 20 * length);
        expect(error).toBeInstanceOf(UnexpectedResponseError);
      }
      expect(asked.length).toBeLessThan(2 * (4 * length + 4));
    }
  });

  it('fails toArray too, unless its limit comes first', async () => {
    const { market } = listOf({ '': { items: [1], next: 'a' }, a: { items: [2], next: 'a' } });
    expect(await rejectionOf(market.orders.list().toArray())).toBeInstanceOf(
      UnexpectedResponseError,
    );
    expect(await market.orders.list().toArray({ limit: 2 })).toEqual([1, 2]);
  });

  it('does not hold up a long list of cursors that are all different', async () => {
    const { market } = mockMarket((request) => {
      const at = Number(parameter(request, 'cursor') ?? 0);
      return { data: [at], next_cursor: at < 300 ? at + 1 : null };
    });
    const { items, error } = await collect(market.orders.listPayouts());
    expect(error).toBeUndefined();
    expect(items).toHaveLength(301);
  });
});

describe('a list that does not end', () => {
  /** A service that has another cursor in each response. */
  function endless(items: readonly unknown[]) {
    const sent: string[] = [];
    const fetch = async (url: string) => {
      const count = sent.push(url);
      return Response.json({ data: items.map(() => count), next_cursor: `c${count}` });
    };
    const { market } = mockMarket([]);
    return { market: market.withOptions({ dispatcher: undefined, fetch }), sent };
  }

  it('is given up after 1,000 pages in a row without items', async () => {
    const { market, sent } = endless([]);
    const error = await rejectionOf(market.events.list().toArray());
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain(
      'GET /api/partner/v1/events does not end: 1000 pages in a row had no items',
    );
    expect(sent).toHaveLength(1_000);
  });

  it('is given up after 10,000 pages, and can be read on from there', async () => {
    const { market, sent } = endless([1]);
    let last: string | undefined;
    const pages = async () => {
      for await (const { nextCursor } of market.orders.list().pages()) last = nextCursor;
    };
    const error = await rejectionOf(pages());
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain('does not end: 10000 pages were read');
    expect([sent.length, last]).toEqual([10_000, 'c10000']);
    const next = await market.orders.list({ cursor: 'c10000' });
    expect(next.items).toEqual([10_001]);
  });
});

describe('reading ahead', () => {
  const fours = {
    '': { items: [1, 2, 3, 4], next: 'b' },
    b: { items: [5, 6, 7, 8], next: 'c' },
    c: { items: [9, 10, 11, 12] },
  };

  it('asks for the next page when half of the present one is consumed, and for no more', async () => {
    const { market, asked } = listOf(fours);
    const iterator = market.orders.list()[Symbol.asyncIterator]();
    const requestsAfter: number[] = [];
    for (let item = 1; item <= 12; item += 1) {
      expect((await iterator.next()).value).toBe(item);
      await settled();
      requestsAfter.push(asked.length);
    }
    expect(requestsAfter).toEqual([1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3]);
    expect((await iterator.next()).done).toBe(true);
    expect(asked).toEqual([null, 'b', 'c']);
  });

  it('reports a failure when the page is due, not before, and never as unhandled', async () => {
    const { market } = listOf({ '': { items: [1, 2, 3, 4], next: 'gone' } });
    const seen: unknown[] = [];
    const read = async () => {
      for await (const item of market.orders.list()) {
        seen.push(item);
        await settled();
      }
    };
    const error = await rejectionOf(read());
    expect(seen).toEqual([1, 2, 3, 4]);
    expect(error.name).toBe('ValidationError');
  });

  it('is given up when the loop is left: the request is ended, and nothing is unhandled', async () => {
    const { market, sent } = mockMarket(
      (request) => {
        if (parameter(request, 'cursor') === null) return { data: [1, 2, 3, 4], next_cursor: 'b' };
        return new Promise(() => undefined);
      },
      { validateResponses: 'off' },
    );
    for await (const item of market.orders.list()) {
      expect(item).toBeDefined();
      await settled();
      if (sent.length === 2) break;
    }
    expect(sent).toHaveLength(2);
    // It waits for the calls under way, so it ends only if the one ahead was ended.
    await expect(market.close()).resolves.toBeUndefined();
  });

  it('does not begin where the loop is left before the half', async () => {
    const { market, asked } = listOf(fours);
    const iterator = market.orders.list()[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.return();
    await settled();
    expect(asked).toEqual([null]);
  });

  it("ends with the caller's signal, on later pages too", async () => {
    const controller = new AbortController();
    const { market } = mockMarket(
      (request) =>
        parameter(request, 'cursor') === null
          ? { data: [1, 2], next_cursor: 'b' }
          : new Promise(() => controller.abort('enough')),
      { validateResponses: 'off' },
    );
    const { items, error } = await collect(market.orders.list({}, { signal: controller.signal }));
    expect(items).toEqual([1, 2]);
    expect(error).toBeInstanceOf(AbortedError);
    expect(error?.cause).toBe('enough');
  });

  it('is given an aborted signal and sends nothing more', async () => {
    const controller = new AbortController();
    const { market, asked } = listOf(fours);
    const page = await market.orders.list({}, { signal: controller.signal });
    controller.abort();
    expect((await collect(page)).error).toBeInstanceOf(AbortedError);
    expect(asked).toEqual([null]);
  });

  it('leaves no listener on a signal that outlives the list', async () => {
    const { signal } = new AbortController();
    const { market } = listOf(fours);
    await collect(market.orders.list({}, { signal }));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('pages()', () => {
  it('gives page by page, each when it is asked for', async () => {
    const { market, asked } = listOf(threePages);
    const sizes: number[] = [];
    for await (const page of market.orders.list().pages()) {
      expect(page).toBeInstanceOf(Page);
      sizes.push(page.items.length);
      await settled();
      expect(asked).toHaveLength(sizes.length);
    }
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('reads no further where the loop is left', async () => {
    const { market, asked } = listOf(threePages);
    for await (const page of market.orders.list().pages()) {
      if (page.items.length > 0) break;
    }
    expect(asked).toEqual([null]);
  });
});

describe('nextPage()', () => {
  it('gives the same page as often as it is asked, with a request each time', async () => {
    const { market, asked } = listOf(threePages);
    const first = await market.orders.list();
    const pages = [await first.nextPage(), await first.nextPage()];
    expect(pages.map(({ items }) => items)).toEqual([
      [3, 4],
      [3, 4],
    ]);
    expect(asked).toEqual([null, 'b', 'b']);
  });

  it('rejects on the last page, and sends nothing', async () => {
    const { market, asked } = listOf({ '': { items: [1] } });
    const page = await market.orders.list();
    const error = await rejectionOf(page.nextPage());
    expect(error).toBeInstanceOf(MarketError);
    expect(error.message).toContain('hasNextPage()');
    expect(asked).toEqual([null]);
  });

  it('fails without harm to the page: another time it may succeed', async () => {
    let broken = true;
    const { market } = mockMarket(
      (request) => {
        if (parameter(request, 'cursor') === null) return { data: [1], next_cursor: 'b' };
        return broken ? HttpResponse.json({ code: 'forbidden' }, { status: 403 }) : { data: [2] };
      },
      { validateResponses: 'off' },
    );
    const page = await market.orders.list();
    expect(await rejectionOf(page.nextPage())).toBeInstanceOf(MarketError);
    broken = false;
    expect((await page.nextPage()).items).toEqual([2]);
  });
});

describe('toArray()', () => {
  it.each<[number | undefined, number[], number]>([
    [undefined, [1, 2, 3, 4, 5], 3],
    [Infinity, [1, 2, 3, 4, 5], 3],
    [0, [], 1],
    [1, [1], 1],
    [2, [1, 2], 1],
    [3, [1, 2, 3], 2],
    [4, [1, 2, 3, 4], 2],
    [5, [1, 2, 3, 4, 5], 3],
    [99, [1, 2, 3, 4, 5], 3],
  ])('with a limit of %s gives %j, of %i requests', async (limit, expected, requests) => {
    const { market, asked } = listOf(threePages);
    expect(await market.orders.list().toArray({ limit })).toEqual(expected);
    await settled();
    expect(asked).toHaveLength(requests);
  });

  it('collects from any page', async () => {
    const { market } = listOf(threePages);
    const second = await (await market.orders.list()).nextPage();
    expect(await second.toArray({ limit: 2 })).toEqual([3, 4]);
    expect(await second.toArray()).toEqual([3, 4, 5]);
  });

  const wrongLimit = '"limit" must be a whole number from 0 up';
  it.each<[unknown, string]>([
    [{ limit: -1 }, wrongLimit],
    [{ limit: 1.5 }, wrongLimit],
    [{ limit: NaN }, wrongLimit],
    [{ limit: '5' }, wrongLimit],
    [{ max: 2 }, '"max" is not an option'],
    [2, '"options" must be an object of options'],
  ])(
    'refuses options that would be ignored, and collect the whole list: %j',
    async (wrong, words) => {
      const { market, sent } = listOf(threePages);
      const error = await rejectionOf(market.orders.list().toArray(wrong as object));
      expect(error).toBeInstanceOf(MarketError);
      expect(error.message).toContain(words);
      expect(sent).toHaveLength(1);
    },
  );

  it('takes a page of any length', async () => {
    const { market } = mockMarket(() => Array.from({ length: 200_000 }, () => 1));
    expect(await market.orders.listPayouts().toArray()).toHaveLength(200_000);
  });
});

/** The client in the hands of other code: detached methods, proxies, subclasses. */
/* eslint-disable @typescript-eslint/unbound-method -- methods without their object are the subject */

import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { MarketClient, MarketError, type ClientOptions, type Order } from 'market-partner-sdk';
import { thrownBy } from '../support/errors.js';
import { credential, mockMarket } from '../support/mock-market.js';

const namespaces = ['domains', 'orders', 'checkout', 'brokerage', 'referral', 'events'] as const;

function optionsOf(respond: (request: Request) => unknown): ClientOptions {
  return {
    baseUrl: 'https://market.example',
    ...credential,
    validateResponses: 'off',
    fetch: (url, init) => Promise.resolve(Response.json(respond(new Request(url, init)))),
  };
}

describe('the methods of a client', () => {
  it('can be passed on without their object', async () => {
    const { market, sent } = mockMarket((request) => ({ asked: new URL(request.url).search }));
    const { checkAvailability } = market.domains;
    const { get } = market.orders;
    await expect(checkAvailability('brew.example')).resolves.toEqual({
      asked: '?domain=brew.example',
    });
    await get('ord_1');
    const { withOptions, request, now } = market;
    await withOptions({ maxRetries: 0 }).orders.get('ord_2');
    await request({ path: '/orders/ord_3' });
    expect(now()).toBeTypeOf('number');
    expect(sent.map(({ target }) => target.split('/').at(-1))).toEqual([
      'availability?domain=brew.example',
      'ord_1',
      'ord_2',
      'ord_3',
    ]);
  });

  it('name what map() passes with each name', () => {
    const { market } = mockMarket(() => ({}));
    const call = market.domains.checkAvailability as (...given: unknown[]) => unknown;
    return expect(Promise.all(['brew.example'].map(call))).rejects.toThrow(
      'in a map(), write (each) => method(each), since it passes the index too. Nothing was sent.',
    );
  });

  it('work through proxies around the client and all that it holds', async () => {
    const { market, sent } = mockMarket(() => ({}), { validateResponses: 'off' });
    const deep = <T extends object>(target: T): T =>
      new Proxy(target, {
        get: (from, name, receiver) => {
          const value: unknown = Reflect.get(from, name, receiver);
          return typeof value === 'object' && value !== null ? deep(value) : value;
        },
      });
    const proxy = deep(market);
    await proxy.orders.get('ord_1');
    await proxy.withOptions({ maxRetries: 0 }).domains.getPricing('brew.example');
    expect(proxy.rateLimitedUntil).toBeUndefined();
    expect(proxy.toJSON()).toEqual(market.toJSON());
    await proxy.close();
    expect(sent).toHaveLength(2);
  });

  it('of a page work without their object and through a proxy around it', async () => {
    const { market } = mockMarket((request) => ({
      data: [{ public_id: request.url.includes('cursor=b') ? 'ord_2' : 'ord_1' }],
      next_cursor: request.url.includes('cursor=b') ? null : 'b',
    }));
    const page = await market.orders.list();
    const { hasNextPage, nextPage, toArray } = page;
    expect(hasNextPage()).toBe(true);
    expect((await nextPage()).items).toEqual([{ public_id: 'ord_2' }]);
    expect(await toArray()).toHaveLength(2);
    const seen: string[] = [];
    for await (const { public_id: id } of new Proxy(page, {})) seen.push(id);
    for await (const { items } of new Proxy(page, {}).pages())
      seen.push(...items.map((it) => it.public_id));
    expect(seen).toEqual(['ord_1', 'ord_2', 'ord_1', 'ord_2']);
    expect(Object.keys(page)).toEqual(['items', 'nextCursor']);
  });

  it('work where a test environment lacks TextEncoder', async () => {
    vi.stubGlobal('TextEncoder', undefined);
    try {
      const { market } = mockMarket(() => ({ public_id: 'ord_1' }), { validateResponses: 'off' });
      await expect(market.orders.get('ord_1')).resolves.toMatchObject({ public_id: 'ord_1' });
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('are replaced by a mock in one line, and put back', async () => {
    const { market } = mockMarket(() => ({ public_id: 'ord_1' }), { validateResponses: 'off' });
    const spy = vi.spyOn(market.orders, 'get').mockRejectedValue(new Error('mocked'));
    await expect(market.orders.get('ord_1')).rejects.toThrow('mocked');
    spy.mockRestore();
    await expect(market.orders.get('ord_1')).resolves.toMatchObject({ public_id: 'ord_1' });
  });

  it('do not show in what is printed or enumerated', () => {
    const { market } = mockMarket(() => ({}));
    for (const name of namespaces) {
      expect(Object.keys(market[name])).toEqual([]);
    }
  });
});

describe('the class', () => {
  it('is named MarketClient', () => {
    const { market } = mockMarket(() => ({}));
    expect(market.constructor).toBe(MarketClient);
    expect(market.constructor.name).toBe('MarketClient');
  });

  class Shop extends MarketClient {
    readonly name = 'shop';
    readonly #sold: string[] = [];

    async sell(domain: string): Promise<Order> {
      const order = await this.orders.create({ domain, expected_price: 250_000 });
      this.#sold.push(domain);
      return order;
    }

    get sold(): readonly string[] {
      return this.#sold;
    }
  }

  it('can be extended, and withOptions() keeps the subclass', async () => {
    const shop = new Shop(optionsOf(() => ({ public_id: 'ord_1', domain: 'brew.example' })));
    const patient = shop.withOptions({ maxRetries: 5 });
    expectTypeOf(patient).toEqualTypeOf<Shop>();
    expect(patient).toBeInstanceOf(Shop);
    expect(patient.name).toBe('shop');
    const { sell } = patient;
    expect(await sell('brew.example')).toMatchObject({ public_id: 'ord_1' });
    expect([shop.sold, patient.sold]).toEqual([[], ['brew.example']]);
  });

  it('closes the clients of a subclass that withOptions() made', async () => {
    class Branded extends MarketClient {
      constructor(options: ClientOptions = {}) {
        super({ ...options, headers: { 'x-brand': 'brew' } });
      }
    }
    const brands: unknown[] = [];
    const market = new Branded(
      optionsOf(({ headers }) => {
        brands.push(headers.get('x-brand'));
        return { public_id: 'ord_1' };
      }),
    );
    const child = market.withOptions({ maxRetries: 0 });
    await child.orders.get('ord_1');
    expect(brands).toEqual(['brew']);
    await market.close();
    await expect(child.orders.get('ord_1')).rejects.toThrow(MarketError);
  });

  it('says what the constructor of a subclass must pass on for withOptions()', () => {
    class Odd extends MarketClient {
      constructor(readonly shop: string) {
        super(optionsOf(() => ({})));
      }
    }
    const error = thrownBy(() => new Odd('brew').withOptions({ maxRetries: 0 }));
    expect(error).toBeInstanceOf(MarketError);
    expect(error.message).toContain('constructor of Odd');
    expect(error.message).toContain('super(options)');
  });
});

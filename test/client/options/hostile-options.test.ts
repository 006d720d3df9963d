import { describe, expect, it } from 'vitest';
import {
  ConfigurationError,
  InvalidRequestError,
  MarketClient,
  type RawRequest,
} from 'market-partner-sdk';
import { rejectionOf, thrownBy } from '../../support/errors.js';
import { credential, mockMarket, okResponse } from '../../support/mock-market.js';

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const throwing = (name: string) => ({
  get [name]() {
    throw new TypeError(`no ${name} today`);
  },
});

const trapped = (trap: 'get' | 'has' | 'ownKeys') =>
  new Proxy(
    { timeoutMs: 5 },
    {
      [trap]() {
        throw new TypeError('trapped');
      },
    },
  );

describe('options that cannot be read', () => {
  const options: [string, unknown][] = [
    ['a Promise', Promise.resolve({})],
    ['a revoked Proxy', revoked()],
    ['a getter that throws', throwing('timeoutMs')],
    ['a signal that throws', throwing('signal')],
    ['a Proxy whose get throws', trapped('get')],
    ['a Proxy whose has throws', trapped('has')],
    ['a Proxy whose keys throw', trapped('ownKeys')],
    ['headers that are a revoked Proxy', { headers: revoked() }],
    ['headers that throw', { headers: throwing('x-a') as unknown as Record<string, string> }],
  ];

  it.each(options)('of a call reject by their name: %s', async (_what, given) => {
    const { market, sent } = mockMarket([okResponse()]);
    for (const call of [
      () => market.orders.get('ord_1', given as object),
      () => market.orders.list({}, given as object),
      () => market.domains.search('coffee', given as object),
    ]) {
      expect(await rejectionOf(call())).toBeInstanceOf(InvalidRequestError);
    }
    expect(sent).toEqual([]);
  });

  it.each(options)('of a raw request reject by their name: %s', async (_what, given) => {
    const { market, sent } = mockMarket([okResponse()]);
    expect(await rejectionOf(market.request(given as { path: string }))).toBeInstanceOf(
      InvalidRequestError,
    );
    expect(sent).toEqual([]);
  });

  it.each(options)('of a client throw by their name: %s', (_what, given) => {
    const create = () => new MarketClient(given as object);
    expect(thrownBy(create, ConfigurationError).message.length).toBeLessThan(1_000);
  });

  it('of a client throw by their name: headers next to valid options', () => {
    const valid = { baseUrl: 'https://market.example', ...credential };
    const create = () =>
      new MarketClient({ ...valid, headers: throwing('x-a') as unknown as Record<string, string> });
    expect(thrownBy(create, ConfigurationError)).toMatchObject({ option: 'options' });
  });

  it.each<[string, object]>([
    ['a query that throws', { path: '/new', query: throwing('q') }],
    ['a query that is a revoked Proxy', { path: '/new', query: revoked() }],
    ['a path of a megabyte', { path: `/${'a'.repeat(1_048_576)}%` }],
    ['a header name of a megabyte', { path: '/new', headers: { ['é'.repeat(1_048_576)]: 'x' } }],
  ])('of a raw request reject with a short message: %s', async (_what, given) => {
    const { market } = mockMarket([okResponse()]);
    const error = await rejectionOf(market.request(given as RawRequest));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error.message.length).toBeLessThan(2_000);
  });
});

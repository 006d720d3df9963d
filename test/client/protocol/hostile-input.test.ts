/** Input of the signing functions and of raw requests that cannot be read. */

import { describe, expect, it } from 'vitest';
import {
  canonicalQuery,
  canonicalString,
  explainSignature,
  InvalidRequestError,
  MarketClient,
  signRequest,
  type RawRequest,
} from 'market-partner-sdk';
import { rejectionOf, thrownBy } from '../../support/errors.js';
import { credential, mockMarket } from '../../support/mock-market.js';

function revoked<T extends object>(target: T): T {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

const parts = {
  method: 'GET',
  path: '/api/partner/v1/orders',
  timestamp: 1_795_226_400,
  nonce: 'n-1',
  ...credential,
};

describe('a revoked Proxy', () => {
  it.each<[string, () => unknown]>([
    ['canonicalQuery', () => canonicalQuery(revoked({}))],
    ['canonicalQuery, as a value', () => canonicalQuery({ q: revoked({}) as never })],
    ['canonicalQuery, as a pair', () => canonicalQuery([revoked(['q', 'x'])] as never)],
    ['canonicalString', () => canonicalString(revoked(parts))],
    ['canonicalString, as its query', () => canonicalString({ ...parts, query: revoked({}) })],
    ['signRequest', () => signRequest(revoked(parts))],
    [
      'signRequest, as its URL',
      () =>
        signRequest({ ...parts, path: undefined, url: revoked(new URL('https://market.example')) }),
    ],
    ['explainSignature', () => explainSignature(revoked(parts))],
  ])('is refused by %s with an error that says that it could not be read', (_name, call) => {
    const error = thrownBy(call);
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({
      message: expect.stringContaining('could not be read') as string,
    });
  });

  it('is refused where a status is waited for, and by its name as the time of a sale', async () => {
    const { market, sent } = mockMarket([]);
    const until = revoked(['SETTLED']);
    expect((await rejectionOf(market.orders.waitFor('ord_1', { until }))).message).toContain(
      '"options" could not be read',
    );
    const input = { domain: 'brew.example', expected_price: 250_000 };
    const sale = { input, idempotencyKey: 'payment-1', startedAt: revoked(new Date()) };
    expect((await rejectionOf(market.orders.resume(sale))).message).toContain('startedAt');
    expect(sent).toHaveLength(0);
  });
});

describe('a raw request', () => {
  const values: [string, unknown][] = [
    ['a Symbol', Symbol('method')],
    ['a revoked Proxy', revoked({})],
    ['a revoked function', revoked(() => 'GET')],
    ['a class', Map],
    ['an object without a prototype', Object.create(null)],
  ];

  it.each(values)('refuses %s as its method or path by name', async (_what, value) => {
    const { market, sent } = mockMarket([]);
    for (const name of ['method', 'path']) {
      const request = { path: '/orders', [name]: value } as RawRequest;
      const error = await rejectionOf(market.request(request));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(error).toMatchObject({ issues: [{ path: name }] });
    }
    expect(sent).toHaveLength(0);
  });
});

describe('a raw query', () => {
  it.each([
    ['q=100%%20Ħ', 'q=100%25%20%C4%A6'],
    ['q=100%%20\u2028', 'q=100%25%20%E2%80%A8'],
    ['%=%zz&€=%E2%82%AC', '%25=%25zz&%E2%82%AC=%E2%82%AC'],
    ['??a=b=c&&d', '%3Fa=b%3Dc&d='],
    ['q=%E4%B8+', 'q=%EF%BF%BD%20'],
  ])('keeps its characters where a "%%" starts no escape: %s', (query, canonical) => {
    expect(canonicalQuery(query)).toBe(canonical);
  });
});

describe('the size of input', () => {
  it('is bounded: a record of 100,000 fields is refused before each name is compared', async () => {
    const { market, sent } = mockMarket([]);
    const fields = Array.from({ length: 99_000 }, (_none, at) => [`field_${at}`, at] as const);
    const error = await rejectionOf(
      market.referral.createLink({ type: 'listing', ...Object.fromEntries(fields) }),
    );
    expect(error.message).toContain('must have at most 1000 fields; received 99001');
    expect(sent).toHaveLength(0);
  });

  it('of the slashes in baseUrl costs no more than their number', () => {
    const baseUrl = `https://market.example/${'/'.repeat(200_000)}x`;
    const startedAt = performance.now();
    expect(() => new MarketClient({ ...credential, baseUrl })).not.toThrow();
    // The square of the number took a minute.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

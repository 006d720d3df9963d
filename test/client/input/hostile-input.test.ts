import { describe, expect, it, vi } from 'vitest';
import { InvalidRequestError, type MarketClient } from 'market-partner-sdk';
import { checkInput, dateRange } from '../../../src/client/input/index.js';
import { rejectionOf } from '../../support/errors.js';
import { mockMarket, okResponse } from '../../support/mock-market.js';
import { violations } from './violations.js';

const order = { domain: 'brew.example', expected_price: 250_000 };

async function refusalOf(call: PromiseLike<unknown>): Promise<InvalidRequestError> {
  const error = await rejectionOf(call);
  if (error instanceof InvalidRequestError) return error;
  throw error;
}

describe('a value that changes its mind', () => {
  it('is read once, and what was checked is sent', async () => {
    const prices = vi.fn().mockReturnValueOnce(250_000).mockReturnValue(1);
    const { market, sent } = mockMarket([okResponse()]);
    await market.orders.create({
      domain: 'brew.example',
      get expected_price() {
        return prices() as number;
      },
    });
    expect(prices).toHaveBeenCalledTimes(1);
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual(order);
  });

  it('is a Date with methods of its own, sent by its time', async () => {
    const from = Object.assign(new Date(0), { toISOString: () => '../../webhooks' });
    const { market, sent } = mockMarket([okResponse()]);
    await market.orders.list({ from });
    expect(sent[0]?.target).toContain('from=1970-01-01T00%3A00%3A00.000Z');
  });

  it('is an object that the caller changes after the call', async () => {
    const { market, sent } = mockMarket([okResponse()]);
    const input = { ...order, tags: ['a'] };
    const call = market.orders.create(input);
    input.expected_price = 1;
    input.tags.push('b');
    await call;
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({ ...order, tags: ['a'] });
  });
});

it.each([
  [
    'in a body',
    (market: MarketClient, x: unknown) =>
      market.orders.create({ ...order, x } as object as typeof order),
  ],
  ['in a query', (market: MarketClient, x: unknown) => market.orders.list({ x } as object)],
])(
  'a list of four thousand million holes %s is refused at its first ones',
  async (_where, call) => {
    const { market, sent } = mockMarket([okResponse()]);
    expect((await refusalOf(call(market, new Array(2 ** 32 - 1)))).issues[0]?.path).toMatch(/^x/);
    expect(sent).toEqual([]);
  },
);

describe('messages are short', () => {
  const megabyte = 'x'.repeat(1_048_576);

  it.each<[string, unknown]>([
    ['a key of a megabyte that JSON cannot hold', { ...order, [megabyte]: () => 1 }],
    ['a value of a megabyte', { ...order, currency: megabyte }],
    ['a domain of a megabyte', { ...order, domain: `${megabyte}.example` }],
    ['an address of a megabyte', { ...order, return_url: `ftp://${megabyte}` }],
    ['a day of a megabyte', { ...order, buyer: { email: `${megabyte}@${megabyte}` } }],
    [
      'ten thousand misspelled names',
      Object.fromEntries(
        Array.from({ length: 10_000 }, (_, n) => [spelled('externalpaymentref', n), 1]),
      ),
    ],
  ])('about %s', async (_what, input) => {
    const { market } = mockMarket([okResponse()]);
    const error = await refusalOf(market.orders.create(input as typeof order));
    expect(error.message.length).toBeLessThan(10_000);
    expect(error.issues.length).toBeLessThanOrEqual(20);
    expect(JSON.stringify(error).length).toBeLessThan(20_000);
  });
});

it('a fraction of a second has nine digits at most', () => {
  const from = (digits: number) => `2026-01-01T00:00:00.${'1'.repeat(digits)}Z`;
  expect(checkInput(dateRange, { from: from(9) })).toEqual({ from: from(9) });
  expect(violations(dateRange, { from: from(10) })).toHaveLength(1);
});

/** The name with the letters in upper case that the bits of `seed` choose. */
function spelled(name: string, seed: number): string {
  return name.replace(/./g, (c, at: number) => ((seed >> at) % 2 === 1 ? c.toUpperCase() : c));
}

import { describe, expect, it, vi } from 'vitest';
import { InvalidRequestError } from 'market-partner-sdk';
import {
  checkInput,
  dateRange,
  orderInput,
  serializeBody,
} from '../../../src/client/input/index.js';
import { rejectionOf } from '../../support/errors.js';
import { mockMarket, okResponse } from '../../support/mock-market.js';
import { violations } from './violations.js';

const order = { domain: 'brew.example', expected_price: 250_000 };

const unreadable = 'could not be read: a getter or a proxy threw an error';

async function refusalOf(call: PromiseLike<unknown>): Promise<InvalidRequestError> {
  const error = await rejectionOf(call);
  if (error instanceof InvalidRequestError) return error;
  throw error;
}

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

const throwing = (field: string) =>
  Object.defineProperty({ ...order }, field, {
    enumerable: true,
    get() {
      throw new TypeError(`no ${field} today`);
    },
  });

describe('input that cannot be read', () => {
  it.each<[string, unknown, string, string]>([
    ['a Promise', Promise.resolve(order), 'input', 'received a Promise'],
    [
      'a Promise as a field',
      { ...order, domain: Promise.resolve('x') },
      'domain',
      'received a Promise',
    ],
    ['a revoked Proxy', revoked({}), 'input', unreadable],
    ['a revoked Proxy as a field', { ...order, buyer: revoked({}) }, 'input', unreadable],
    ['a revoked Proxy in a list', { ...order, x: [1, revoked([])] }, 'body', unreadable],
    ['a getter that throws', throwing('currency'), 'input', unreadable],
    ['a deep getter that throws', { ...order, a: [throwing('b')] }, 'body', unreadable],
    [
      'a Proxy whose keys throw',
      new Proxy(order, {
        ownKeys() {
          throw new Error('no keys');
        },
      }),
      'input',
      unreadable,
    ],
    [
      'a getter that throws what cannot be shown',
      {
        ...order,
        get note() {
          throw Object.create(null);
        },
      },
      'input',
      unreadable,
    ],
    ['an object that contains itself', cyclic(), 'self', 'must not contain itself'],
    [
      'a million levels',
      { ...order, x: nested(1_000_000) },
      'x[0][0][0]',
      'deeper than 500 levels',
    ],
    [
      'a list of four thousand million holes',
      { ...order, x: new Array(2 ** 32 - 1) },
      'x',
      '100000',
    ],
  ])('is refused by its name: %s', async (_what, input, path, message) => {
    const { market, sent } = mockMarket([okResponse()]);
    const error = await refusalOf(market.orders.create(input as typeof order));
    const [issue] = error.issues;
    expect(issue?.path.startsWith(path)).toBe(true);
    expect(issue?.message).toContain(message);
    expect(error.message.length).toBeLessThan(1_500);
    expect(sent).toEqual([]);
  });

  it.each<[string, () => unknown]>([
    ['a getter', () => throwing('note')],
    ['a toJSON', () => ({ toJSON: () => throwing('x').valueOf() })],
    ['a revoked Proxy', () => ({ deep: [revoked({})] })],
  ])('is refused in the body of a raw request: %s', async (_what, body) => {
    const { market, sent } = mockMarket([okResponse()]);
    const error = await refusalOf(market.request({ path: '/new', body: body() }));
    expect(error.message).toContain(`"body" ${unreadable}`);
    expect(sent).toEqual([]);
  });

  it('is a million levels of JSON in a raw request', async () => {
    const { market } = mockMarket([okResponse()]);
    const error = await refusalOf(market.request({ path: '/new', body: nested(1_000_000) }));
    expect(error.message.length).toBeLessThan(1_500);
  });
});

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

  it('is read once in the buyer and in a list, too', () => {
    let reads = 0;
    const counted = {
      get email() {
        reads += 1;
        return reads === 1 ? 'ada@buyer.example' : 'no address';
      },
    };
    const sent = checkInput(orderInput, { ...order, buyer: counted });
    expect(JSON.parse(serializeBody(sent))).toMatchObject({
      buyer: { email: 'ada@buyer.example' },
    });
    expect(reads).toBe(1);
  });

  it('is a Date with methods of its own, sent by its time', async () => {
    const from = Object.assign(new Date(0), { toISOString: () => '../../webhooks' });
    const { market, sent } = mockMarket([okResponse()]);
    await market.orders.list({ from });
    expect(sent[0]?.target).toContain('from=1970-01-01T00%3A00%3A00.000Z');
  });

  it('is a toJSON that is a function only once', () => {
    let reads = 0;
    const value = {
      get toJSON() {
        reads += 1;
        return reads === 1 ? () => 'once' : undefined;
      },
    };
    expect(serializeBody({ value })).toBe('{"value":"once"}');
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

function cyclic(): object {
  const input: Record<string, unknown> = { ...order };
  input.self = input;
  return input;
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

import { inspect } from 'node:util';
import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import type { MarketClient } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import {
  credential,
  errorResponse,
  mockMarket,
  okResponse,
  type Step,
} from '../../support/mock-market.js';
import { recordingLogger } from '../../support/recording-logger.js';

const { secret } = credential;

/** Everything that can be read from a value without its private fields: keys, symbols, prototypes. */
function everythingIn(value: unknown, seen = new Set<unknown>()): string[] {
  if (typeof value === 'string') return [value];
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return [];
  if (seen.has(value)) return [];
  seen.add(value);
  const texts: string[] = [];
  if (value instanceof Map) texts.push(...everythingIn([...value], seen));
  if (value instanceof Set) texts.push(...everythingIn([...value], seen));
  for (const key of Reflect.ownKeys(value)) {
    texts.push(String(key));
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    texts.push(...everythingIn(descriptor?.value, seen));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  // The language's own prototypes hold nothing of ours.
  const isBuiltIn = [Object, Array, Function, Promise, Error].some(
    (one) => one.prototype === prototype,
  );
  return isBuiltIn ? texts : [...texts, ...everythingIn(prototype, seen)];
}

function expectNoSecretIn(value: unknown, hidden = secret): void {
  const shown = [
    inspect(value, { depth: Infinity, showHidden: true, maxArrayLength: null, getters: true }),
    inspect(value, { depth: 0 }),
    String(value),
    JSON.stringify(value) as string | undefined,
    ...everythingIn(value),
  ].join('\n');
  expect(shown).not.toContain(hidden);
  expect(shown).not.toContain(Buffer.from(hidden).toString('base64'));
  expect(shown).not.toContain(Buffer.from(hidden).toString('hex'));
  expect(shown).not.toMatch(/v1=[0-9a-f]{64}/);
}

const namespaces = ['domains', 'orders', 'checkout', 'brokerage', 'referral', 'events'] as const;

describe('the secret cannot be read', () => {
  it('from a client, its namespaces, and a client made from it', () => {
    const { market } = mockMarket(() => ({}));
    const other = market.withOptions({ maxRetries: 0 });
    for (const each of [market, other]) {
      expectNoSecretIn(each);
      for (const name of namespaces) expectNoSecretIn(each[name]);
      expectNoSecretIn({ wrapped: [each] });
    }
  });

  it('from a client that was copied or cloned', () => {
    const { market } = mockMarket(() => ({}));
    const copy: object = Object.assign({}, market);
    expectNoSecretIn(copy);
    expectNoSecretIn(structuredClone(copy));
    expectNoSecretIn(structuredClone(market));
  });

  it('from a promise, before and after it is settled', async () => {
    const { market } = mockMarket(() => ({ items: [{}] }), { validateResponses: 'off' });
    for (const promise of [market.orders.get('ord_1'), market.orders.list()]) {
      expectNoSecretIn(promise);
      await promise;
      expectNoSecretIn(promise);
    }
  });

  it('from data, pages, responses and iterators', async () => {
    const { market } = mockMarket(() => ({ items: [{}] }), { validateResponses: 'off' });
    const promise = market.orders.list();
    const { data, response } = await promise.withResponse();
    for (const each of [data, response, promise.pages(), data[Symbol.asyncIterator]()]) {
      expectNoSecretIn(each);
    }
  });

  const get = (market: MarketClient) => market.orders.get('ord_1');
  it.each<[string, Step, (market: MarketClient) => Promise<unknown>]>([
    ['a refusal', errorResponse(404, 'not_found'), get],
    ['a refused signature', errorResponse(401, 'invalid_signature'), get],
    ['a failure', errorResponse(500, 'internal_error'), get],
    ['a reset', 'reset', get],
    ['a response of a gateway', () => HttpResponse.html('<p>'), get],
    ['refused input', okResponse, (market) => market.orders.get('..')],
    ['an abort', okResponse, (market) => market.orders.get('a', { signal: AbortSignal.abort() })],
  ])('from the error of %s, nor from what is logged of it', async (_title, step, invoke) => {
    const { lines, logger } = recordingLogger();
    const { market } = mockMarket([step], { logger });
    const error = await rejectionOf(invoke(market));
    expectNoSecretIn(error);
    expectNoSecretIn(error.stack);
    expectNoSecretIn(lines);
  });

  it('from what goes over the wire', async () => {
    const { market, sent } = mockMarket(() => ({ url: 'https://shop.example/' }));
    await market.events.registerWebhook({ url: 'https://shop.example/', secret: 'whsec_1' });
    expect(JSON.stringify(sent)).not.toContain(secret);
  });
});

describe("a webhook's secret", () => {
  const webhookSecret = 'whsec_"quoted" & long';
  const hook = { url: 'https://shop.example/', secret: webhookSecret };
  const echo = async (request: Request) => {
    const text = await request.text();
    const body = { code: 'validation_error', message: `bad: ${text}`, received: JSON.parse(text) };
    return HttpResponse.json(body as object, { status: 400 });
  };

  it('is redacted where the service repeats it in an error', async () => {
    const { lines, logger } = recordingLogger();
    const { market } = mockMarket(echo, { logger });
    const error = await rejectionOf(market.events.registerWebhook(hook));
    expect(error).toMatchObject({ body: { received: { secret: '[redacted]' } } });
    expect(error).toHaveProperty('body.message', expect.stringContaining('[redacted]'));
    expectNoSecretIn(error, webhookSecret);
    expectNoSecretIn(error, 'quoted');
    expectNoSecretIn(lines, 'quoted');
  });

  it('is redacted for a raw request of the same path, too', async () => {
    const { market } = mockMarket(echo);
    const raw = { method: 'PUT', path: '/api/partner/webhooks', body: hook };
    const error = await rejectionOf(market.request(raw));
    expectNoSecretIn(error, 'quoted');
  });
});

describe('a short secret that occurs in an error response', () => {
  it('leaves the documented code, and so the class, as it is', async () => {
    const { market } = mockMarket([errorResponse(422, 'price_mismatch')], { secret: 'price' });
    const error = await rejectionOf(market.orders.get('ord_1001'));
    expect(error).toMatchObject({ name: 'PriceMismatchError', code: 'price_mismatch' });
  });

  it('is redacted in a code that is not documented', async () => {
    const { market } = mockMarket([errorResponse(422, 'bad_hunter2')], { secret: 'hunter2' });
    const error = await rejectionOf(market.orders.get('ord_1001'));
    expect(error).toMatchObject({ name: 'ApiError', code: 'bad_[redacted]' });
  });

  it('does not shorten the wait of a Retry-After', async () => {
    const limited = errorResponse(429, 'rate_limited', { 'retry-after': '17' });
    const { market, time } = mockMarket([limited, okResponse()], { secret: '7' });
    await market.orders.get('ord_1001');
    expect(time.slept).toEqual([17_000]);
  });

  it('does not keep the clock from being corrected', async () => {
    const date = 'Sat, 21 Nov 2026 12:00:00 GMT';
    const refusal = errorResponse(401, 'invalid_timestamp', { date });
    const { market } = mockMarket([refusal, okResponse()], { secret: 'GMT' });
    await market.orders.get('ord_1001');
    expect(market.now()).toBe(Date.parse(date));
  });
});

describe('what may be shown of a client', () => {
  it('is its address, its key id and its environment', () => {
    const { market } = mockMarket(() => ({}), { baseUrl: 'https://gw.example/market/' });
    const shown = {
      baseUrl: 'https://gw.example/market',
      keyId: credential.keyId,
      environment: 'sandbox',
    };
    expect(JSON.parse(JSON.stringify(market))).toEqual(shown);
    expect(inspect(market)).toBe(`MarketClient ${inspect(shown)}`);
  });
});

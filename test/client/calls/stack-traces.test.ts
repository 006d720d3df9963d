/** An error's stack shows the line of the caller's program, as that of fetch does. */

import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import type { MarketClient } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import { mockMarket } from '../../support/mock-market.js';
import { everyCall } from '../../specification.js';

const given = { publicId: 'ord_1', caseId: 'case_1' };
const order = { domain: 'brew.example', expected_price: 250_000 };

const drop = (...items: unknown[]): void => void items.pop();

/** A service that has nothing. */
const empty = () =>
  mockMarket(() => HttpResponse.json({ code: 'not_found', message: 'no' }, { status: 404 })).market;

/** A list of which the second page fails. */
const brokenList = () =>
  mockMarket(
    (_request, count) =>
      count === 1
        ? { items: [{ public_id: 'ord_1' }, { public_id: 'ord_2' }], next_cursor: 'c_2' }
        : HttpResponse.json({ code: 'not_found', message: 'no' }, { status: 404 }),
    { validateResponses: 'off' },
  ).market;

/** The frames of the program that calls the client: this file's own. */
async function expectFrame(partnersFunction: () => Promise<unknown>): Promise<void> {
  const error = await rejectionOf(partnersFunction());
  expect(error.stack).toContain('partnersFunction');
  expect(error.stack).toContain(import.meta.filename);
}

describe("an error's stack has the function that called the client", () => {
  it.each(everyCall)('$name', async ({ invoke }) => {
    const market = empty();
    await expectFrame(async function partnersFunction() {
      await invoke(market, given);
    });
    await expectFrame(async function partnersFunction() {
      await invoke(market, given).withResponse();
    });
  });

  it.each<[string, (market: MarketClient) => Promise<unknown>]>([
    [
      'for await over pages',
      async function partnersFunction(market) {
        for await (const each of market.orders.list().pages()) drop(each);
      },
    ],
    [
      'toArray',
      async function partnersFunction(market) {
        await market.orders.list().toArray();
      },
    ],
    [
      'nextPage',
      async function partnersFunction(market) {
        const page = await market.orders.list();
        await page.nextPage();
      },
    ],
    [
      'for await over pages from a page',
      async function partnersFunction(market) {
        const page = await market.orders.list();
        for await (const each of page.pages()) drop(each);
      },
    ],
    [
      'toArray of a page',
      async function partnersFunction(market) {
        const page = await market.orders.list();
        await page.toArray();
      },
    ],
  ])('a list whose second page fails: %s', async (_name, work) => {
    await expectFrame(() => work(brokenList()));
  });

  it.each<[string, (market: MarketClient) => Promise<unknown>]>([
    [
      'request',
      async function partnersFunction(market) {
        await market.request({ path: '/orders/ord_1' });
      },
    ],
    [
      'request with its response',
      async function partnersFunction(market) {
        await market.request({ path: '/orders/ord_1' }).withResponse();
      },
    ],
    [
      'waitFor',
      async function partnersFunction(market) {
        await market.orders.waitFor('ord_1', { until: 'SETTLED' });
      },
    ],
    [
      'an argument that breaks a rule',
      async function partnersFunction(market) {
        await market.orders.get('');
      },
    ],
    [
      'an argument of resume that breaks a rule',
      async function partnersFunction(market) {
        await market.orders.resume({ input: order, idempotencyKey: '', startedAt: 0 });
      },
    ],
    [
      'resume',
      async function partnersFunction(market) {
        const sale = await market.orders.resume({
          input: order,
          idempotencyKey: 'payment-1001',
          startedAt: Date.now(),
        });
        throw (sale as { error: unknown }).error;
      },
    ],
    [
      'the first of checkMany',
      async function partnersFunction(market) {
        for await (const { error } of market.domains.checkMany(['brew.example'])) throw error;
      },
    ],
  ])('%s', async (_name, work) => {
    await expectFrame(() => work(empty()));
  });

  it('a call that is observed by a logger and traced', async () => {
    const tracing = { call: async (_span: unknown, run: () => Promise<unknown>) => run() };
    const { market } = mockMarket(() => HttpResponse.json({}, { status: 500 }), {
      logger: { warn: () => undefined, debug: () => undefined },
      tracing: { ...tracing, attempt: async (_span, run) => run() },
    });
    await expectFrame(async function partnersFunction() {
      await market.orders.get('ord_1');
    });
  });
});

describe("a call's promise", () => {
  it('does not print the response', async () => {
    const { market } = mockMarket(() => ({ public_id: 'ord_1' }), { validateResponses: 'off' });
    const promise = market.orders.get('ord_1');
    await promise;
    const { inspect } = await import('node:util');
    expect(inspect(promise)).toBe("Promise { { public_id: 'ord_1' } }");
  });
});

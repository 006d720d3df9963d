/** An error's stack shows the line of the caller's program, as that of fetch does. */

import { inspect } from 'node:util';
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

/** What the program of a partner does with a call: it awaits it, or reads it to its end. */
async function partnersFunction(work: () => PromiseLike<unknown> | AsyncIterable<unknown>) {
  const result = work();
  if ('then' in result) await result;
  else for await (const each of result) drop(each);
}

async function expectFrame(work: () => PromiseLike<unknown> | AsyncIterable<unknown>) {
  const error = await rejectionOf(partnersFunction(work));
  expect(error.stack).toContain('partnersFunction');
  expect(error.stack).toContain(import.meta.filename);
}

type Work = (market: MarketClient) => PromiseLike<unknown> | AsyncIterable<unknown>;

describe("an error's stack has the function that called the client", () => {
  it.each(everyCall)('$name', async ({ invoke }) => {
    const market = empty();
    await expectFrame(() => invoke(market, given));
    await expectFrame(() => invoke(market, given).withResponse());
  });

  it.each<[string, Work]>([
    ['for await over pages', (market) => market.orders.list().pages()],
    ['toArray', (market) => market.orders.list().toArray()],
    ['nextPage', async (market) => (await market.orders.list()).nextPage()],
    ['toArray of a page', async (market) => (await market.orders.list()).toArray()],
  ])('a list whose second page fails: %s', async (_name, work) => {
    await expectFrame(() => work(brokenList()));
  });

  it('a list whose second page fails: for await over pages from a page', async () => {
    const page = await brokenList().orders.list();
    await expectFrame(() => page.pages());
  });

  const sale = { input: order, idempotencyKey: 'payment-1001', startedAt: Date.now() };
  it.each<[string, Work]>([
    ['request', (market) => market.request({ path: '/orders/ord_1' })],
    ['its response', (market) => market.request({ path: '/orders/ord_1' }).withResponse()],
    ['waitFor', (market) => market.orders.waitFor('ord_1', { until: 'SETTLED' })],
    ['an argument that breaks a rule', (market) => market.orders.get('')],
    ['one of resume', (market) => market.orders.resume({ ...sale, idempotencyKey: '' })],
  ])('%s', async (_name, work) => {
    await expectFrame(() => work(empty()));
  });

  it('what resume and checkMany give as an error', async () => {
    await expectFrame(async () => {
      throw ((await empty().orders.resume(sale)) as { error: unknown }).error;
    });
    await expectFrame(async () => {
      const results = empty().domains.checkMany(['brew.example']);
      for await (const { error } of results) throw error;
    });
  });

  it('a call that is observed by a logger and traced', async () => {
    const tracing = { call: async (_span: unknown, run: () => Promise<unknown>) => run() };
    const { market } = mockMarket(() => HttpResponse.json({}, { status: 500 }), {
      logger: { warn: () => undefined, debug: () => undefined },
      tracing: { ...tracing, attempt: async (_span, run) => run() },
    });
    await expectFrame(() => market.orders.get('ord_1'));
  });
});

describe("a call's promise", () => {
  it('does not print the response', async () => {
    const { market } = mockMarket(() => ({ public_id: 'ord_1' }), { validateResponses: 'off' });
    const promise = market.orders.get('ord_1');
    await promise;
    expect(inspect(promise)).toBe("Promise { { public_id: 'ord_1' } }");
  });
});

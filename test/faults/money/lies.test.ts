/**
 * A service that lies about its orders, each lie alone and in pairs: the key is forgotten, the domain is
 * sold, and the order exists. Whatever the list shows, `orders.resume` never says `refused`, and never
 * `placed` with another order.
 */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MarketClient } from 'market-partner-sdk';
import { fakeSleep } from '../../support/virtual-time.js';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const domain = 'brew.example';
const input = {
  domain,
  expected_price: 250_000,
  currency: 'USD',
  external_payment_ref: 'payment-1001',
};
const order = {
  public_id: 'ord_1',
  status: 'EXTERNALLY_PAID',
  ...input,
  sale_price_cents: 250_000,
};
const other = {
  ...order,
  public_id: 'ord_2',
  domain: 'tea.example',
  external_payment_ref: 'pay-2',
};

const withoutOrders = (answer: Answer, more: object = {}): Answer => ({
  ...answer,
  body: { ...(answer.body as object), data: [], ...more },
});
const saying =
  (more: object) =>
  (answer: Answer): Answer =>
    withoutOrders(answer, more);
const cached =
  (headers: Record<string, string>) =>
  (answer: Answer): Answer => ({
    ...withoutOrders(answer),
    headers: { ...answer.headers, ...headers },
  });
const changed =
  (change: (reference: string) => string) =>
  (answer: Answer): Answer => ({
    ...answer,
    body: {
      ...(answer.body as object),
      data: (answer.body as { data: (typeof order)[] }).data.map((each) => ({
        ...each,
        external_payment_ref: change(each.external_payment_ref),
      })),
    },
  });

/** What each lie does to the true list, in which the order is. */
const lies: Readonly<Record<string, (answer: Answer) => Answer>> = {
  'stale, with an Age': cached({ age: '20' }),
  'stale, with x-cache': cached({ 'x-cache': 'HIT' }),
  'stale, with cf-cache-status': cached({ 'cf-cache-status': 'HIT' }),
  'stale, with cache-status': cached({ 'cache-status': 'edge; hit' }),
  has_more: saying({ has_more: true }),
  next_cursor: saying({ next_cursor: 'c1' }),
  next_token: saying({ next_token: 'c1' }),
  'links.next': saying({ links: { next: '/orders?page=2' } }),
  partial: saying({ partial: true }),
  timed_out: saying({ timed_out: true }),
  error: saying({ error: { shard: 3 } }),
  errors: saying({ errors: ['shard 3'] }),
  warnings: saying({ warnings: ['shard 3'] }),
  'success: false': saying({ success: false }),
  'ok: false': saying({ ok: false }),
  'status: error': saying({ status: 'error' }),
  'data: null': saying({ data: null, items: [] }),
  total: saying({ total: 3 }),
  'meta.total': saying({ meta: { total: 3 } }),
  total_pages: saying({ total_pages: 3 }),
  'the filter is ignored': saying({ data: [other] }),
  'a reference in upper case': changed((reference) => reference.toUpperCase()),
  'a reference with white space': changed((reference) => ` ${reference} `),
  'a reference that is cut off': changed((reference) => reference.slice(0, 8)),
};
const names = Object.keys(lies);
const pairs = names.flatMap((first) => names.map((second) => [first, second] as const));

let requests: string[];
beforeEach(() => {
  requests = [];
});
afterEach(() => expect(requests[0]).toMatch(/^POST/));

/** Two look-ups, each with its own lie; the POST is refused, since the key is forgotten. */
async function resumeAgainst(lieOf: (lookUp: number) => (answer: Answer) => Answer) {
  let lookUps = 0;
  const market = new MarketClient({
    ...{ baseUrl: 'https://market.example', keyId: 'mk_sandbox_1f0c', secret: 'of these tests' },
    ...{ maxRetries: 0, validateResponses: 'off', sleep: fakeSleep() },
    fetch: (url, { method }) => {
      requests.push(`${method} ${url}`);
      if (method === 'POST') {
        return Promise.resolve(Response.json({ code: 'not_found' }, { status: 404 }));
      }
      const isNextPage = url.includes('cursor=');
      if (!isNextPage) lookUps += 1;
      const truth = { status: 200, headers: {}, body: { data: [order], next_cursor: null } };
      const { status, headers, body } = lieOf(lookUps)(truth);
      return Promise.resolve(Response.json(body, { status, headers }));
    },
  });
  return market.orders.resume({ input, idempotencyKey: 'payment-1001', startedAt: Date.now() });
}

describe('a list that lies', () => {
  it('not is found at once, with one look-up', async () => {
    const ended = await resumeAgainst(() => (answer) => answer);
    expect(ended).toMatchObject({ state: 'placed', order: { public_id: 'ord_1' } });
    expect(requests).toHaveLength(2);
  });

  it.each(names)('by "%s" proves nothing', async (name) => {
    const { state } = await resumeAgainst(() => lies[name]!);
    expect(state).toBe(name.startsWith('a reference') ? 'attention' : 'open');
  });

  it(`by two of ${names.length} lies at once proves nothing`, async () => {
    const untrue: string[] = [];
    for (const [first, second] of pairs) {
      const both = await resumeAgainst(() => (answer) => lies[second]!(lies[first]!(answer)));
      const inTurn = await resumeAgainst((lookUp) => lies[lookUp === 1 ? first : second]!);
      for (const { state } of [both, inTurn]) {
        if (state === 'refused' || state === 'placed')
          untrue.push(`${first} + ${second}: ${state}`);
      }
    }
    expect(untrue).toEqual([]);
  });
});

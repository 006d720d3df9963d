/** Settlement statements against the orders that were settled in their period. */

import { describe, expect, it } from 'vitest';
import type { Order, SettlementStatement } from 'market-partner-sdk';
import { MarketClient } from 'market-partner-sdk';

const dayMs = 24 * 3_600_000;
const nowMs = Date.parse('2026-11-21T12:00:00Z');
const fromMs = nowMs - 10 * dayMs;
const at = (ms: number) => new Date(ms).toISOString();
const [startMs, endMs] = [nowMs - 8 * dayMs, nowMs - 4 * dayMs];

const statement: SettlementStatement = {
  period_start: at(startMs),
  period_end: at(endMs),
  currency: 'USD',
  gross_sold_cents: 1_000,
};
type OrderChanges = { [Name in keyof Order]?: unknown };
const order = (changes: OrderChanges = {}) =>
  ({
    public_id: 'ord_1',
    domain: 'brew.example',
    status: 'SETTLED',
    sale_price_cents: 1_000,
    currency: 'usd',
    settled_at: at(endMs - 1),
    ...changes,
  }) as Order;

interface Service {
  readonly statements?: readonly unknown[];
  readonly orders?: readonly Order[];
  readonly list?: object;
  readonly statementList?: object;
}

/** The findings about statements, and the addresses that were read. */
async function compare(service: Service, to?: number) {
  const { statements = [statement], orders = [order()], list = {}, statementList = {} } = service;
  const read: string[] = [];
  const market = new MarketClient({
    baseUrl: 'https://market.example',
    keyId: 'mk_sandbox_1f0c',
    secret: 'of these tests',
    clock: () => nowMs,
    validateResponses: 'off',
    fetch: (url) => {
      const { pathname, searchParams } = new URL(url);
      const isSettled = searchParams.get('status') === 'SETTLED';
      read.push(isSettled ? 'settled orders' : pathname.slice(pathname.lastIndexOf('/') + 1));
      const body = pathname.endsWith('/settlements')
        ? { data: statements, ...statementList }
        : isSettled
          ? { data: orders, ...list }
          : { data: [] };
      return Promise.resolve(Response.json(body));
    },
  });
  const comparison = market.orders.reconcile({ sales: [], from: fromMs, to, settlements: true });
  const found = await comparison.toArray();
  return { found: found.map(({ kind, message }) => `${kind}: ${message}`), read };
}

const kinds = async (service: Service, to?: number) =>
  (await compare(service, to)).found.map((line) => line.slice(0, line.indexOf(':')));

describe('a statement', () => {
  const none: string[] = [];
  const differs = ['statement_differs'];
  const unclear = ['not_checkable'];
  const settled = (changes: OrderChanges): Service => ({ orders: [order(changes)] });
  const stating = (changes: object): Service => ({ statements: [{ ...statement, ...changes }] });
  const priceless = { sale_price_cents: undefined };
  it.each<[string, Service, string[]]>([
    ['whose orders add up to it', {}, none],
    [
      'of two orders',
      {
        ...stating({ gross_sold_cents: 1_500 }),
        orders: [order(), order({ public_id: 'ord_2', sale_price_cents: 500 })],
      },
      none,
    ],
    ['without its order', { orders: [] }, differs],
    ['with an order settled before it', settled({ settled_at: at(startMs - 1) }), differs],
    ['with an order settled at its begin', settled({ settled_at: at(startMs) }), none],
    ['with an order settled at its end', settled({ settled_at: at(endMs) }), none],
    ['with an order settled after it', settled({ settled_at: at(endMs + 1) }), differs],
    ['with an order in another currency', settled({ currency: 'EUR' }), differs],
    [
      'with an order that states only its last change',
      settled({ settled_at: undefined, updated_at: at(endMs - 5) }),
      none,
    ],
    ['by the time of settlement, not of the last change', settled({ updated_at: at(nowMs) }), none],
    ['with an order without a time', settled({ settled_at: undefined }), unclear],
    ['with an order without a currency', settled({ currency: null }), unclear],
    ['with an order whose currency is empty', settled({ currency: ' ' }), unclear],
    ['with an order whose currency has white space', settled({ currency: ' USD' }), none],
    ['with an order without a price', settled(priceless), unclear],
    ['with an order whose price is a text', settled({ sale_price_cents: '1000' }), unclear],
    [
      'before which an order without price and currency was settled',
      {
        orders: [
          order(),
          order({ settled_at: at(startMs - 1), currency: undefined, ...priceless }),
        ],
      },
      none,
    ],
    [
      'with an order without a price in another currency',
      { orders: [order(), order({ currency: 'EUR', ...priceless })] },
      none,
    ],
    ['whose settled orders are partial', { list: { partial: true } }, unclear],
    ['whose settled orders hold others', settled({ status: 'REFUNDED' }), unclear],
    ['without a begin', stating({ period_start: null }), unclear],
    ['without an end', stating({ period_end: 'later' }), unclear],
    ['without a currency', stating({ currency: 5 }), unclear],
    ['with an empty currency', stating({ currency: '' }), unclear],
    ['whose currency has white space', stating({ currency: 'usd ' }), none],
    ['without an amount', stating({ gross_sold_cents: '1000' }), unclear],
    ['in a list that has more', { statementList: { has_more: true } }, unclear],
    [
      'in a list that has more, alone',
      { statements: [], statementList: { has_more: true } },
      unclear,
    ],
  ])('%s', async (_what, service, expected) => {
    expect(await kinds(service)).toEqual(expected);
  });

  it('that ends at the begin of the window is compared, one at its end is not', async () => {
    const ending = (ms: number): Service => ({
      orders: [],
      statements: [{ ...statement, period_start: at(ms - dayMs), period_end: at(ms) }],
    });
    expect(await kinds(ending(fromMs))).toEqual(['statement_differs']);
    expect(await kinds(ending(fromMs - 1))).toEqual([]);
    expect(await kinds(ending(nowMs - dayMs), nowMs - dayMs)).toEqual([]);
    expect(await kinds(ending(nowMs - dayMs - 1), nowMs - dayMs)).toEqual(['statement_differs']);
  });

  it('outside of the window costs no reading of the settled orders', async () => {
    const old = { ...statement, period_end: at(fromMs - 1), period_start: at(0) };
    expect((await compare({ statements: [old] })).read).not.toContain('settled orders');
    expect((await compare({})).read).toContain('settled orders');
  });

  it('shares a moment with the next one: the order belongs to the one that ends there', async () => {
    const next = {
      ...statement,
      period_start: at(endMs),
      period_end: at(endMs + dayMs),
      gross_sold_cents: 0,
    };
    const atTheBorder = [order({ settled_at: at(endMs) })];
    expect(await kinds({ statements: [statement, next], orders: atTheBorder })).toEqual([]);
    expect(await kinds({ statements: [next, statement], orders: atTheBorder })).toEqual([]);
  });

  it.each<[string, unknown, string[]]>([
    ['a moment of the window', at(endMs), ['not_checkable']],
    ['a moment before it', at(fromMs - 1), []],
    ['no moment', 'later', ['not_checkable']],
  ])('whose period begins on a day, and ends at %s', async (_what, end, expected) => {
    const begun = stating({ period_start: '2026-11-01', period_end: end });
    expect(await kinds(begun)).toEqual(expected);
  });

  it('whose period is of whole days is not compared: its last moment depends on a time zone', async () => {
    const days: Service = {
      ...stating({ period_start: '2026-11-13', period_end: '2026-11-17' }),
      ...settled({ settled_at: '2026-11-17T10:00:00Z' }),
    };
    expect((await compare(days)).found).toEqual([
      'not_checkable: The statement states its period in days, so the moment of its end is not known.',
    ]);
  });

  it.each<[string, string[]]>([
    ['2026-11-09', []],
    ['2026-11-10', ['not_checkable']],
    ['2026-11-19', ['not_checkable']],
    ['2026-11-20', []],
  ])('whose period may end in the window by a time zone, on %s', async (end, expected) => {
    const days = stating({ period_start: '2026-11-01', period_end: end });
    // The window is of the 11th, 12:00, to the 18th, 18:00.
    expect(await kinds(days, nowMs - 2.75 * dayMs)).toEqual(expected);
  });

  it.each<[OrderChanges, string]>([
    [{ currency: undefined }, 'its currency'],
    [{ sale_price_cents: undefined }, 'its price'],
    [{ settled_at: undefined }, 'when it was settled'],
    [{ settled_at: 'x' }, 'when it was settled'],
  ])('names the settled order of %j, and what it does not state', async (changes, words) => {
    expect((await compare({ orders: [order({ ...changes, public_id: 'ord_7' })] })).found).toEqual([
      `not_checkable: The settled order ord_7 does not state ${words}.`,
    ]);
  });
});

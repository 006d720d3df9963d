import { describe, expect, it } from 'vitest';
import { MarketError, type Order, type OrderInput } from 'market-partner-sdk';
import { AbsenceProof, type ListPage } from '../../../src/client/sale/absence-proof.js';
import { isOtherDomain } from '../../../src/client/sale/compare-fields.js';
import { matchOrders } from '../../../src/client/sale/match-orders.js';

const startedAt = Date.parse('2026-03-01T12:00:00Z');
const at = (minutes: number) => new Date(startedAt + minutes * 60_000).toISOString();

const withoutReference = { domain: 'brew.example', expected_price: 250_000, currency: 'USD' };
const paid = { external_payment_ref: 'pay-1' };
const sale = { ...withoutReference, ...paid };

const order = (fields: Partial<Order>): Order => ({
  public_id: 'ord_1',
  domain: 'brew.example',
  status: 'EXTERNALLY_PAID',
  sale_price_cents: 250_000,
  currency: 'USD',
  created_at: at(0),
  ...fields,
});

/** What a page of the service's own form shows. */
const match = (toFind: OrderInput, orders: Order[]) =>
  matchPages(toFind, [{ items: orders, body: { data: orders } }]);

function matchPages(toFind: OrderInput, pages: readonly ListPage<Order>[]) {
  const proof = new AbsenceProof('orders', (one) => isOtherDomain(one.domain, toFind.domain));
  for (const page of pages) proof.add(page);
  const kept = pages.flatMap(({ items }) => items).filter((one) => (one as Order | null) !== null);
  return matchOrders(toFind, { kept, doubt: proof.doubt });
}

describe('with a reference', () => {
  it.each<[string, Partial<Order>, string]>([
    ['an equal reference', paid, 'ours'],
    ['an equal reference, a lower price: a requote', { ...paid, sale_price_cents: 1 }, 'ours'],
    ['an equal reference, a higher price', { ...paid, sale_price_cents: 250_001 }, 'possible'],
    ['an equal reference, another currency', { ...paid, currency: 'EUR' }, 'possible'],
    ['our reference in another case', { external_payment_ref: 'Pay-1 ' }, 'possible'],
    ['an equal reference, refunded', { ...paid, status: 'REFUNDED' }, 'ours'],
    ['an equal reference, another domain', { ...paid, domain: 'tea.example' }, 'failed'],
    ['a domain in upper case', { ...paid, domain: 'BREW.example' }, 'ours'],
    ['another reference', { external_payment_ref: 'pay-2' }, 'none'],
    ['no reference', {}, 'possible'],
    ['no reference, a higher price', { sale_price_cents: 250_001 }, 'possible'],
    ['no reference, a lower price: a requote', { sale_price_cents: 249_999 }, 'possible'],
    ['no reference, another currency', { currency: 'EUR' }, 'possible'],
    ['no reference, the day before: clocks differ', { created_at: at(-24 * 60) }, 'possible'],
    ['no reference, a time that is no text', { created_at: 5 as never }, 'possible'],
    ['no reference, no time', { created_at: undefined as never }, 'possible'],
    ['no reference, an odd time', { created_at: 'yesterday' }, 'possible'],
  ])('%s', (_what, fields, expected) => {
    expect(match(sale, [order(fields)]).state).toBe(expected);
  });

  it('prefers its own order to others that may be', () => {
    const own = order({ public_id: 'ord_2', ...paid });
    for (const other of [order({}), order({ sale_price_cents: 250_001 })]) {
      expect(match(sale, [other, own])).toEqual({ state: 'ours', order: own });
    }
  });

  it('shows a person two orders under one reference', () => {
    const both = ['ord_1', 'ord_2'].map((public_id) => order({ public_id, ...paid }));
    expect(match(sale, both)).toEqual({ state: 'possible', candidates: both });
  });
});

describe('without a reference', () => {
  it.each<[string, Partial<Order>, string]>([
    ['the same price and time', {}, 'possible'],
    ['a reference that was never sent', { external_payment_ref: 'pay-9' }, 'possible'],
    ['a lower price', { sale_price_cents: 249_999 }, 'none'],
    ['a higher price', { sale_price_cents: 250_001 }, 'none'],
    ['another currency', { currency: 'EUR' }, 'none'],
    ['a sign for its currency', { currency: 'US$' }, 'possible'],
    ['a price that is no number', { sale_price_cents: '250000' as never }, 'possible'],
    ['a higher one that is none', { sale_price_cents: '300000' as never }, 'possible'],
    ['an hour later', { created_at: at(60) }, 'possible'],
    ['an hour before', { created_at: at(-60) }, 'possible'],
  ])('%s', (_what, fields, expected) => {
    expect(match(withoutReference, [order(fields)]).state).toBe(expected);
  });

  it('is never taken for an order of its own', () => {
    expect(match(withoutReference, [order({})]).state).not.toBe('ours');
    const noReference = order({ external_payment_ref: undefined as never });
    expect(match(withoutReference, [noReference]).state).not.toBe('ours');
  });
});

describe('a list that shows no such order', () => {
  const pageOf = (body: unknown, items: unknown[] = []) => ({ body, items }) as ListPage<Order>;
  const other = order({ external_payment_ref: 'pay-2' });
  const empty = pageOf({ data: [], next_cursor: null });

  it.each<[string, ListPage<Order>[], string]>([
    ['empty under "data"', [empty], 'none'],
    ['empty under the noun', [pageOf({ orders: [] })], 'none'],
    ['empty one level deeper', [pageOf({ data: { orders: [] } })], 'none'],
    ['with another order under "items"', [pageOf({ items: [other] }, [other])], 'none'],
    ['of two pages', [pageOf({ data: [other], next_cursor: 'c' }, [other]), empty], 'none'],
    ['a bare [] of a gateway', [pageOf([])], 'failed'],
    ['a bare list with another order', [pageOf([other], [other])], 'failed'],
    ['a bare [] behind the first page', [pageOf({ data: [other] }, [other]), pageOf([])], 'failed'],
    ['a bare [] before the last page', [pageOf([]), empty], 'failed'],
    ['empty under a name of no list', [pageOf({ errors: [] })], 'failed'],
    ['two levels deeper', [pageOf({ data: { data: { orders: [] } } })], 'failed'],
    ['empty beside a code', [pageOf({ code: 'internal_error', data: [] })], 'failed'],
    ['empty beside a message', [pageOf({ message: 'Service down', data: [] })], 'failed'],
    ['empty beside an error', [pageOf({ error: { message: 'down' }, data: [] })], 'failed'],
    ['with an item that is no record', [pageOf({ data: [null] }, [null])], 'failed'],
    ['a body that is null', [pageOf(null)], 'failed'],
    ['no page at all', [], 'failed'],
  ])('%s', (_what, pages, expected) => {
    expect(matchPages(sale, pages).state).toBe(expected);
  });

  it('says in its error why it is no proof', () => {
    const found = matchPages(sale, [pageOf([])]) as { error: MarketError };
    expect(found.error).toBeInstanceOf(MarketError);
    expect(found.error.message).toContain('no proof that there is none');
    expect(found.error.method).toBe('GET');
  });

  it('finds its own order in a bare list, next to what is not a record', () => {
    const own = order(paid);
    const bare = pageOf([null, own], [null, own]);
    expect(matchPages(sale, [bare])).toEqual({ state: 'ours', order: own });
    expect(matchPages(withoutReference, [bare]).state).toBe('possible');
  });
});

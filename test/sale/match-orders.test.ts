import { describe, expect, it } from 'vitest';
import type { Order } from 'market-partner-sdk';
import { matchOrders } from '../../src/sale/match-orders.js';

const startedAt = Date.parse('2026-03-01T12:00:00Z');
const at = (minutes: number) => new Date(startedAt + minutes * 60_000).toISOString();

const input = { domain: 'brew.example', expected_price: 250_000, currency: 'USD' };
const sale = { input: { ...input, external_payment_ref: 'pay-1' }, startedAt };
const withoutReference = { input, startedAt };

const order = (fields: Partial<Order>): Order => ({
  public_id: 'ord_1',
  domain: 'brew.example',
  status: 'EXTERNALLY_PAID',
  sale_price_cents: 250_000,
  currency: 'USD',
  created_at: at(0),
  ...fields,
});

describe('with a reference', () => {
  it.each<[string, Partial<Order>, string]>([
    ['an equal reference', { external_payment_ref: 'pay-1' }, 'ours'],
    [
      'an equal reference, another price',
      { external_payment_ref: 'pay-1', sale_price_cents: 1 },
      'ours',
    ],
    ['an equal reference, refunded', { external_payment_ref: 'pay-1', status: 'REFUNDED' }, 'ours'],
    [
      'an equal reference, another domain',
      { external_payment_ref: 'pay-1', domain: 'tea.example' },
      'none',
    ],
    ['a domain in upper case', { external_payment_ref: 'pay-1', domain: 'BREW.example' }, 'ours'],
    ['another reference', { external_payment_ref: 'pay-2' }, 'none'],
    ['no reference', {}, 'possible'],
    ['no reference, another price', { sale_price_cents: 1 }, 'none'],
    ['no reference, another currency', { currency: 'EUR' }, 'none'],
    ['no reference, the day before', { created_at: at(-24 * 60) }, 'none'],
    ['no reference, four minutes before: clocks differ', { created_at: at(-4) }, 'possible'],
    ['no reference, no time', { created_at: undefined as never }, 'possible'],
    ['no reference, an odd time', { created_at: 'yesterday' }, 'possible'],
  ])('%s', (_what, fields, expected) => {
    expect(matchOrders(sale, [order(fields)]).state).toBe(expected);
  });

  it('prefers its own order to others that may be', () => {
    const own = order({ public_id: 'ord_2', external_payment_ref: 'pay-1' });
    expect(matchOrders(sale, [order({}), own])).toEqual({ state: 'ours', order: own });
  });

  it('shows a person two orders under one reference', () => {
    const both = ['ord_1', 'ord_2'].map((public_id) =>
      order({ public_id, external_payment_ref: 'pay-1' }),
    );
    expect(matchOrders(sale, both)).toEqual({ state: 'possible', candidates: both });
  });
});

describe('without a reference', () => {
  it.each<[string, Partial<Order>, string]>([
    ['the same price and time', {}, 'possible'],
    ['a reference that was never sent', { external_payment_ref: 'pay-9' }, 'possible'],
    ['another price', { sale_price_cents: 1 }, 'none'],
    ['a price that is no number', { sale_price_cents: '250000' as never }, 'possible'],
    ['an hour later', { created_at: at(60) }, 'possible'],
    ['an hour before', { created_at: at(-60) }, 'none'],
  ])('%s', (_what, fields, expected) => {
    expect(matchOrders(withoutReference, [order(fields)]).state).toBe(expected);
  });

  it('is never taken for an order of its own', () => {
    expect(matchOrders(withoutReference, [order({})]).state).not.toBe('ours');
    const noReference = order({ external_payment_ref: undefined as never });
    expect(matchOrders(withoutReference, [noReference]).state).not.toBe('ours');
  });
});

it('finds nothing in an empty list', () => {
  expect(matchOrders(sale, [])).toEqual({ state: 'none' });
});

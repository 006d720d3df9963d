/** How one sale differs from its order, and which of two statuses is the later one. */

import { describe, expect, it } from 'vitest';
import type { Order } from 'market-partner-sdk';
import type { BookedSale } from '../../../src/client/books/booked-sale.js';
import { compareSale } from '../../../src/client/books/compare-sale.js';

const nowMs = Date.parse('2026-11-21T12:00:00Z');
const at = (ms: number) => new Date(ms).toISOString();
const order: Order = {
  public_id: 'ord_1',
  domain: 'brew.example',
  status: 'EXTERNALLY_PAID',
  sale_price_cents: 1_000,
  currency: 'USD',
};
const sale: BookedSale = {
  row: 3,
  idempotencyKey: 'payment-1',
  domain: 'brew.example',
  reference: 'payment-1',
  publicId: undefined,
  price: 1_000,
  currency: 'USD',
  state: 'placed',
  status: undefined,
  startedAtMs: nowMs,
  isRefunded: false,
};

const unclear = ['not_checkable'];

function kinds(
  saleChanges: Partial<BookedSale>,
  orderChanges: object,
  stuckAfterMs?: number,
): string[] {
  const changed = { ...order, ...orderChanges };
  const found = compareSale({ ...sale, ...saleChanges }, changed, { nowMs, stuckAfterMs });
  for (const each of found) {
    expect(each).toMatchObject({ row: 3, idempotencyKey: 'payment-1', publicIds: ['ord_1'] });
  }
  return found.map(({ kind }) => kind);
}

describe('a sale and its order', () => {
  it.each<[string, Partial<BookedSale>, object, string[]]>([
    ['agree', {}, {}, []],
    ['have other amounts', {}, { sale_price_cents: 1_001 }, ['amount_differs']],
    ['have other currencies', {}, { currency: 'EUR' }, ['currency_differs']],
    ['have one currency in two cases', {}, { currency: 'usd' }, []],
    ['have a currency in the order alone', { currency: undefined }, { currency: 'EUR' }, []],
    ['have a currency in the books alone', {}, { currency: undefined }, []],
    ['have a currency that is no text', {}, { currency: 7 }, []],
    ['have a currency that is empty in the order', {}, { currency: '' }, []],
    ['have one currency, with white space in the order', {}, { currency: ' USD' }, []],
    ['have an amount in the books alone', {}, { sale_price_cents: undefined }, []],
    [
      'have other figures and statuses, told together',
      { status: 'SETTLED' },
      { sale_price_cents: 1, currency: 'EUR' },
      ['currency_differs', 'amount_differs', 'ahead'],
    ],
    ['have no status at the service', {}, { status: undefined }, unclear],
    ['have no status there, and are open here', { state: 'open' }, { status: 5 }, unclear],
    ['have an end at the service alone', { state: 'open' }, {}, ['behind']],
    ['have an end here alone', { state: 'refused' }, {}, ['order_of_a_refused_sale']],
    ['are both over', { state: 'refused' }, { status: 'CANCELLED' }, []],
    ['are refunded there', {}, { status: 'REFUNDED' }, ['behind']],
    ['are refunded in both', { isRefunded: true }, { status: 'REFUNDED' }, []],
    ['are refunded in both, by the status', { status: 'REFUNDED' }, { status: 'CANCELED' }, []],
    ['are refunded here', { isRefunded: true }, {}, ['ahead']],
    ['are refunded here, by the status', { status: 'REFUNDED' }, {}, ['ahead']],
    ['are held there', {}, { status: 'MANUAL_REVIEW' }, ['behind']],
    ['are held in both', { status: 'ON_HOLD' }, { status: 'ON_HOLD' }, []],
    ['are held here', { status: 'ON_HOLD' }, { status: 'SETTLED' }, ['behind']],
    ['are held here, and unranked there', { status: 'ON_HOLD' }, { status: 'QUEUED' }, ['behind']],
    ['are a status behind', { status: 'EXTERNALLY_PAID' }, { status: 'SETTLED' }, ['behind']],
    ['are a status ahead', { status: 'SETTLED' }, { status: 'TRANSFER_COMPLETED' }, ['ahead']],
    ['are in a status without a rank', { status: 'QUEUED' }, {}, unclear],
    ['are in one without a rank there', { status: 'SETTLED' }, { status: 'QUEUED' }, unclear],
    ['have no status here', {}, { status: 'QUEUED' }, []],
  ])('%s', (_what, saleChanges, orderChanges, expected) => {
    expect(kinds(saleChanges, orderChanges)).toEqual(expected);
  });
});

it('an order of a refused sale without a status is told as such', () => {
  const withoutStatus = { ...order, status: undefined as never };
  const rule = { nowMs, stuckAfterMs: undefined };
  const found = compareSale({ ...sale, state: 'refused' }, withoutStatus, rule);
  expect(found.map(({ message }) => message)).toEqual([
    expect.stringContaining('its order is in a status that the service does not state.'),
  ]);
});

describe('an order that does not move', () => {
  const dayMs = 24 * 3_600_000;
  const after = (orderChanges: object) => kinds({}, orderChanges, dayMs);

  it.each<[string, object, string[]]>([
    ['for exactly the time', { updated_at: at(nowMs - dayMs) }, []],
    ['for a millisecond more', { updated_at: at(nowMs - dayMs - 1) }, ['stuck']],
    ['since it was recorded', { created_at: at(nowMs - dayMs - 1) }, ['stuck']],
    ['since it changed', { created_at: at(nowMs - 9 * dayMs), updated_at: at(nowMs) }, []],
    ['and does not say since when', {}, unclear],
    [
      'and says only when it was recorded, in a later status',
      { status: 'TRANSFER_IN_PROGRESS', created_at: at(nowMs - 9 * dayMs) },
      unclear,
    ],
    ['and is over', { status: 'SETTLED', updated_at: at(nowMs - 9 * dayMs) }, []],
    ['and is over, with a refund in part', { status: 'PARTIALLY_REFUNDED' }, []],
    ['and has no status', { status: undefined }, unclear],
  ])('%s', (_what, orderChanges, expected) => {
    expect(after(orderChanges)).toEqual(expected);
  });

  it('is not told unless it is asked for', () => {
    expect(kinds({}, { updated_at: at(0) })).toEqual([]);
  });
});

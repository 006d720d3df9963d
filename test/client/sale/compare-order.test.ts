/** Whose an order is. */

import { describe, expect, it } from 'vitest';
import type { Order } from 'market-partner-sdk';
import { compareReference, isOtherDomain } from '../../../src/client/sale/compare-fields.js';
import { compareOrder, findContradiction } from '../../../src/client/sale/compare-order.js';

const domain = 'brew.example';

describe('compareReference', () => {
  it.each<[unknown, string | undefined, string]>([
    ['payment-1001', 'payment-1001', 'same'],
    [1001, '1001', 'same'],
    ['PAYMENT-1001', 'payment-1001', 'changed'],
    [' payment-1001\n', 'payment-1001', 'changed'],
    ['payment 1001', 'payment1001', 'changed'],
    ['payment-', 'payment-1001', 'changed'],
    ['payment', 'payment-1001', 'other'],
    [' payment', 'payment-1001', 'changed'],
    ['Payment-…', 'payment-1001', 'changed'],
    ['payment-...', 'payment-1001', 'changed'],
    ['payment-***', 'payment-1001', 'changed'],
    ['payment-1002', 'payment-1001', 'other'],
    ['payment-1001-b', 'payment-1001', 'other'],
    [1002, '1001', 'other'],
    ['', 'payment-1001', 'unstated'],
    ['  ', 'payment-1001', 'unstated'],
    [null, 'payment-1001', 'unstated'],
    [undefined, 'payment-1001', 'unstated'],
    ['payment-1001', undefined, 'unstated'],
  ])('%j of a sale with %j is %s', (stated, sent, expected) => {
    expect(compareReference(stated, sent)).toBe(expected);
  });
});

describe('isOtherDomain', () => {
  it.each<[unknown, boolean]>([
    ['xn--bcher-kva.example', false],
    ['bücher.example', false],
    ['BÜCHER.example.', false],
    [' xn--bcher-kva.example', false],
    ['', false],
    [null, false],
    ['bucher.example', true],
    ['tea.example', true],
    ['not a domain', true],
  ])('%j is another than bücher.example: %s', (stated, expected) => {
    expect(isOtherDomain(stated, 'xn--bcher-kva.example')).toBe(expected);
  });

  it('compares what is not a domain by its letters', () => {
    expect(isOtherDomain('A B', 'a b')).toBe(false);
    expect(isOtherDomain('A B', 'c d')).toBe(true);
    expect(isOtherDomain('brew.example', undefined)).toBe(false);
  });
});

const sale = { domain, expected_price: 1_000, currency: 'USD', external_payment_ref: 'payment-1' };

describe('compareOrder', () => {
  const ours = { domain, external_payment_ref: 'payment-1' };
  const changed = { external_payment_ref: 'PAYMENT-1' };
  it.each<[string, Partial<Order>, string]>([
    ['our reference', ours, 'ours'],
    ['our price and currency', { ...ours, sale_price_cents: 1_000, currency: 'usd ' }, 'ours'],
    ['our reference, cheaper', { ...ours, sale_price_cents: 999 }, 'ours'],
    ['our reference, dearer', { ...ours, sale_price_cents: 1_001 }, 'contradictory'],
    ['our reference, in euros', { ...ours, currency: 'EUR' }, 'contradictory'],
    ['our reference, and no text for its currency', { ...ours, currency: '' }, 'ours'],
    ['our reference without a domain', { external_payment_ref: 'payment-1' }, 'ours'],
    ['a changed reference, dearer', { ...changed, sale_price_cents: 9_999 }, 'possible'],
    ['another reference', { ...ours, external_payment_ref: 'payment-2' }, 'other'],
    ['another domain', { ...ours, domain: 'tea.example' }, 'other'],
    ['no reference', { domain }, 'possible'],
    ['no reference, dearer', { domain, sale_price_cents: 1_001 }, 'possible'],
    ['no reference, in euros', { domain, currency: ' eur' }, 'possible'],
    ['no reference, and a sign for its currency', { domain, currency: 'US$' }, 'possible'],
  ])('%s', (_what, order, expected) => {
    expect(compareOrder(sale, order)).toBe(expected);
  });

  it.each<[string, Partial<Order>, string]>([
    ['our price', { domain, sale_price_cents: 1_000 }, 'possible'],
    ['dearer', { domain, sale_price_cents: 1_001 }, 'other'],
    ['cheaper', { domain, sale_price_cents: 999 }, 'other'],
    ['in euros', { domain, currency: 'EUR' }, 'other'],
  ])('without a reference of ours, %s', (_what, order, expected) => {
    expect(compareOrder({ ...sale, external_payment_ref: undefined }, order)).toBe(expected);
  });
});

it.each(['.', '*', '…', ' ', 'ü'])('reads a long run of %j in the time of its length', (mark) => {
  const long = `${mark.repeat(1_000_000)}x`;
  expect(compareOrder(sale, { domain, external_payment_ref: long })).toBe('other');
});

it('reads a domain of any length in the time of its length', () => {
  const letters = Array.from({ length: 1_000_000 }, (_, at) => 0x4e00 + (at % 20_000));
  const long = letters.map((code) => String.fromCodePoint(code)).join('');
  expect(compareOrder(sale, { domain: long })).toBe('other');
});

describe('findContradiction', () => {
  const otherUnit = 'as if in another unit ("amounts" of the profile, docs/assumptions.md)';

  it.each<[Partial<Order>, string]>([
    [{ domain: 'tea.example' }, 'states the domain "tea.example", not "brew.example"'],
    [{ external_payment_ref: 'x-2' }, 'states the external_payment_ref "x-2", not "payment-1"'],
    [{ currency: 'EUR' }, 'states the currency "EUR", not "USD"'],
    [{ sale_price_cents: 2 }, 'states the price 2, not 1000'],
    [{ sale_price_cents: 10 }, `states the price 10, not 1000, ${otherUnit}`],
    [{ sale_price_cents: 100_000 }, `states the price 100000, not 1000, ${otherUnit}`],
  ])('%j', (order, expected) => {
    expect(findContradiction(sale, order)).toBe(expected);
  });

  it('takes no other price for another unit, whose digits differ', () => {
    const sent = { expected_price: 2_500 };
    const hint = 'states the price 400, not 2500';
    expect(findContradiction(sent, { sale_price_cents: 400 })).toBe(hint);
  });

  it('is nothing where an order states nothing, or nothing was sent', () => {
    expect(findContradiction(sale, {})).toBeUndefined();
    expect(findContradiction({}, { ...sale, sale_price_cents: 5 })).toBeUndefined();
  });

  it('quotes a long value in part', () => {
    expect(findContradiction(sale, { domain: 'x'.repeat(1_000) })?.length).toBeLessThan(200);
  });
});

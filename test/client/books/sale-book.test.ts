/** The books in memory: what is stored comes back, and is found by each of its names. */

import { describe, expect, it } from 'vitest';
import type { BookedSale } from '../../../src/client/books/booked-sale.js';
import { SaleBook } from '../../../src/client/books/sale-book.js';
import { Random } from '../../faults/simulation/random.js';

const sale = (row: number, changes: Partial<BookedSale> = {}): BookedSale => ({
  row,
  idempotencyKey: `key-${row}`,
  domain: `name-${row}.example`,
  reference: `payment-${row}`,
  publicId: `ord_${row}`,
  price: 100 + row,
  currency: 'USD',
  state: 'placed',
  status: undefined,
  startedAtMs: 5_000 + row,
  isRefunded: false,
  ...changes,
});

describe('SaleBook', () => {
  it('gives back each sale as it was added', () => {
    const sales = [
      sale(0),
      sale(1, { reference: undefined, publicId: undefined, currency: undefined }),
      sale(2, { reference: 'key-2', state: 'refused', isRefunded: true }),
      sale(3, { state: 'open', status: 'SETTLED', currency: 'EUR' }),
      sale(4),
      sale(5, { status: 'SETTLED', state: 'open', currency: 'EUR' }),
    ];
    const book = new SaleBook();
    for (const each of sales) book.add(each);
    expect(book.size).toBe(sales.length);
    expect(sales.map((_, position) => book.at(position))).toEqual(sales);
  });

  it('finds each of many sales by every name, and no other', () => {
    const book = new SaleBook();
    const count = 3_000;
    for (let row = 0; row < count; row += 1) book.add(sale(row));
    for (let row = 0; row < count; row += 1) {
      expect(book.find('idempotencyKey', `key-${row}`)).toEqual([row]);
      expect(book.find('publicId', `ord_${row}`)).toEqual([row]);
      expect(book.find('reference', `payment-${row}`)).toEqual([row]);
      expect(book.find('domain', `name-${row}.example`)).toEqual([row]);
    }
    expect(book.find('publicId', 'payment-7')).toEqual([]);
    expect(book.find('domain', 'key-7')).toEqual([]);
  });

  it('finds all sales of one name, in the order of the books', () => {
    const book = new SaleBook();
    for (let row = 0; row < 9; row += 1) {
      book.add(sale(row, { domain: row % 3 === 0 ? 'brew.example' : 'tea.example' }));
    }
    expect(book.find('domain', 'brew.example')).toEqual([0, 3, 6]);
  });

  it('compares the names, not their hashes', () => {
    // Two texts with the same hash: found by search, so that a change of the hash does not hide it.
    const random = new Random(1);
    const book = new SaleBook();
    const names = Array.from({ length: 200_000 }, () => `n${random.integer(0, 2 ** 31)}`);
    names.slice(0, 2_000).forEach((name, row) => book.add(sale(row, { domain: name })));
    const known = new Set(names.slice(0, 2_000));
    expect(names.every((name) => known.has(name) || book.find('domain', name).length === 0)).toBe(
      true,
    );
  });

  it('keeps the order that a sale was joined to', () => {
    const book = new SaleBook();
    for (let row = 0; row < 3; row += 1) book.add(sale(row));
    book.join(0, 'ord_0');
    book.join(2, 'ord_other');
    expect([0, 1, 2].map((position) => book.orderIdOf(position))).toEqual([
      'ord_0',
      undefined,
      'ord_other',
    ]);
    expect([...book.unjoined()]).toEqual([1]);
  });
});

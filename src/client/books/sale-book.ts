/** SaleBook: the partner's sales in memory, found by public id, payment reference or domain. */

import type { BookedSale } from './booked-sale.js';

type IndexedField = 'idempotencyKey' | 'publicId' | 'reference' | 'domain';

export class SaleBook {
  readonly #sales: BookedSale[] = [];
  readonly #index: Readonly<Record<IndexedField, Map<string, number | number[]>>> = {
    idempotencyKey: new Map(),
    publicId: new Map(),
    reference: new Map(),
    domain: new Map(),
  };
  /** The order that each sale was joined to. */
  readonly #orderIds = new Map<number, string>();
  readonly #ambiguous = new Set<number>();

  get size(): number {
    return this.#sales.length;
  }

  add(sale: BookedSale): void {
    const position = this.#sales.push(sale) - 1;
    for (const field of Object.keys(this.#index) as IndexedField[]) {
      const value = sale[field];
      if (value === undefined) continue;
      const known = this.#index[field].get(value);
      // Nearly every list would hold one position: a number takes a fraction of its memory.
      if (Array.isArray(known)) known.push(position);
      else this.#index[field].set(value, known === undefined ? position : [known, position]);
    }
  }

  at(position: number): BookedSale {
    const sale = this.#sales[position];
    if (sale === undefined) throw new RangeError(`there is no sale ${position}`);
    return sale;
  }

  /** The positions of the sales that have `value` in `field`. */
  find(field: IndexedField, value: string): readonly number[] {
    return [this.#index[field].get(value) ?? []].flat();
  }

  /** The public id of the order that a sale was joined to. */
  orderIdOf(position: number): string | undefined {
    return this.#orderIds.get(position);
  }

  join(position: number, orderId: string): void {
    this.#orderIds.set(position, orderId);
  }

  /** Notes that an order may or may not be the sale's. */
  markAmbiguous(position: number): void {
    this.#ambiguous.add(position);
  }

  isAmbiguous(position: number): boolean {
    return this.#ambiguous.has(position);
  }

  /** The positions of the sales that no order was joined to. */
  *unjoined(): Generator<number, void, undefined> {
    for (let position = 0; position < this.size; position += 1) {
      if (!this.#orderIds.has(position)) yield position;
    }
  }
}

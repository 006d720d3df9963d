/** OrderJoin: joins the orders of the service, one by one, to the sales in the books. */

import { parseServiceTime } from '../../core/service-time.js';
import { isTakenBack } from '../assumptions.js';
import type { Order } from '../model/orders.js';
import { asciiDomain, isOtherDomain } from '../sale/compare-fields.js';
import { compareOrder } from '../sale/compare-order.js';
import type { BookedSale } from './booked-sale.js';
import { compareSale, type StuckRule } from './compare-sale.js';
import { finding, type Finding, type FindingKind } from './findings.js';
import type { SaleBook } from './sale-book.js';

/** An open sale may wait for days before its order is placed; further apart, one of the two times is wrong. */
const longestWaitMs = 7 * 24 * 3_600_000;

/** Which sales and which unknown orders are reported. */
interface JoinWindow {
  /** Whether a sale that began at this moment is reported. */
  readonly hasSale: (startedAtMs: number) => boolean;
  /** Whether an order that no sale explains is reported, by its time of recording. */
  readonly hasOrder: (createdAtMs: number) => boolean;
  /** Whether it is too early to report it: its sale may not be in the books yet. */
  readonly isYoung: (createdAtMs: number) => boolean;
  /** The order of a sale that is not open follows within this. */
  readonly graceMs: number;
}

/**
 * A pair is compared when its order arrives. What later orders can change waits for `rest()`: an
 * order that was taken back may have a successor, and a second order makes two.
 */
export class OrderJoin {
  readonly #book: SaleBook;
  readonly #window: JoinWindow;
  readonly #rule: StuckRule;
  /** Joined orders that were refunded or canceled, by their sale. */
  readonly #takenBack = new Map<number, Order>();
  /** Further orders of a sale that has, or names, another one. */
  readonly #further = new Map<number, Order[]>();
  /** Orders that may be of the sale at this position, which has another one by now. */
  readonly #possible: (readonly [order: Order, position: number])[] = [];
  /** Orders without a sale: two windows may show the same one. */
  readonly #unknown = new Set<string>();
  readonly #ignored = new Set<string>();
  #hasMisplacedSale = false;
  #youngOrders = 0;

  constructor(book: SaleBook, window: JoinWindow, rule: StuckRule) {
    this.#book = book;
    this.#window = window;
    this.#rule = rule;
  }

  /** Whether an order that may be of the window has a sale that began at another time, by the books. */
  get hasMisplacedSale(): boolean {
    return this.#hasMisplacedSale;
  }

  /** An id or a reference of a row that could not be read: its order is not unknown. */
  ignore(name: unknown): void {
    if (typeof name === 'string') this.#ignored.add(name);
  }

  /** Whether orders were found that decide about this sale, though none was joined to it. */
  isUndecided(position: number): boolean {
    return this.#further.has(position) || this.#book.isAmbiguous(position);
  }

  add(order: Order): Finding[] {
    const positions = this.#salesOf(order);
    const [position, ...others] = positions;
    this.#compareTimes(positions, order);
    if (position === undefined) return this.#addWithoutSale(order);
    if (others.length > 0) {
      for (const each of positions) this.#book.markAmbiguous(each);
      return [];
    }
    const joined = this.#book.orderIdOf(position);
    if (joined === order.public_id) return [];
    const { publicId } = this.#book.at(position);
    if (joined !== undefined || (publicId !== undefined && publicId !== order.public_id)) {
      this.#addFurther(position, order);
      return [];
    }
    return this.#join(position, order);
  }

  /** The findings that needed all orders. */
  *rest(): Generator<Finding, void, undefined> {
    for (const [position, orders] of this.#further) yield* this.#doubled(position, orders);
    for (const [position, order] of this.#takenBack) yield* this.#compare(position, order);
    for (const [order, position] of this.#possible) yield* this.#possibleSecond(order, position);
    if (this.#youngOrders > 0) yield this.#notJudged(this.#youngOrders);
  }

  /** The sales that an order says it belongs to: by its id, else by its reference. */
  #salesOf(order: Order): number[] {
    const { public_id: publicId, external_payment_ref: reference } = order;
    const ofDomain = (position: number) =>
      !isOtherDomain(order.domain, this.#book.at(position).domain);
    const byId = this.#book.find('publicId', publicId).filter(ofDomain);
    if (byId.length > 0 || typeof reference !== 'string') return byId;
    return this.#book.find('reference', reference).filter(ofDomain);
  }

  #compareTimes(positions: readonly number[], order: Order): void {
    const { hasOrder, graceMs } = this.#window;
    const createdAtMs = parseServiceTime(order.created_at);
    if (positions.length === 0 || !(Number.isNaN(createdAtMs) || hasOrder(createdAtMs))) return;
    const isNear = (position: number) => {
      const { state, startedAtMs } = this.#book.at(position);
      const longestMs = state === 'open' ? longestWaitMs : graceMs;
      return Math.abs(createdAtMs - startedAtMs) <= longestMs;
    };
    this.#hasMisplacedSale ||= !positions.some(isNear);
  }

  #join(position: number, order: Order): Finding[] {
    this.#book.join(position, order.public_id);
    if (!isTakenBack(String(order.status))) return this.#compare(position, order);
    this.#takenBack.set(position, order);
    return [];
  }

  #compare(position: number, order: Order): Finding[] {
    const sale = this.#book.at(position);
    return this.#window.hasSale(sale.startedAtMs) ? compareSale(sale, order, this.#rule) : [];
  }

  #addFurther(position: number, order: Order): void {
    const orders = this.#further.get(position) ?? [];
    if (orders.some(({ public_id: id }) => id === order.public_id)) return;
    this.#further.set(position, [...orders, order]);
  }

  #addWithoutSale(order: Order): Finding[] {
    const { public_id: publicId, external_payment_ref: reference, created_at: createdAt } = order;
    if (this.#unknown.has(publicId)) return [];
    if (this.#ignored.has(publicId) || this.#ignored.has(String(reference))) return [];
    this.#unknown.add(publicId);
    const possible = this.#book
      .find('domain', asciiDomain(order.domain))
      .filter((position) => mayBeOf(this.#book.at(position), order));
    this.#compareTimes(possible, order);
    for (const position of possible) {
      this.#book.markAmbiguous(position);
      this.#possible.push([order, position]);
    }
    if (possible.length > 0) return [];
    const createdAtMs = parseServiceTime(createdAt);
    if (Number.isNaN(createdAtMs)) {
      const message =
        'The order matches no sale in the books, and does not state when it was recorded.';
      return [finding('not_checkable', message, { order })];
    }
    if (this.#window.isYoung(createdAtMs)) this.#youngOrders += 1;
    if (!this.#window.hasOrder(createdAtMs)) return [];
    const message = `The books have no sale for ${describeOrder(order)}.`;
    return [finding('unknown_here', message, { order })];
  }

  #notJudged(count: number): Finding {
    const orders = count === 1 ? '1 order is' : `${count} orders are`;
    const message = `${orders} younger than ${this.#window.graceMs / 60_000} minutes and in no books: not judged.`;
    return finding('not_checkable', message, {
      nextStep: 'Run the comparison again once the books have the sales of these minutes.',
    });
  }

  *#doubled(position: number, orders: readonly Order[]): Generator<Finding, void, undefined> {
    const standing = orders.filter(({ status }) => !isTakenBack(String(status)));
    const joined = this.#book.orderIdOf(position);
    const successor = standing[0] ?? orders[0];
    let ids = standing.map(({ public_id: id }) => id);
    if (joined !== undefined && !this.#takenBack.has(position)) {
      ids = [joined, ...ids];
    } else if (successor !== undefined && (joined === undefined || standing.length > 0)) {
      this.#takenBack.delete(position);
      yield* this.#join(position, successor);
    }
    const order = standing.at(-1);
    if (ids.length < 2 || order === undefined) return;
    const message = `The payment reference has ${ids.length} valid orders: ${ids.join(', ')}.`;
    yield* this.#about('doubled', message, position, { order, publicIds: ids });
  }

  *#possibleSecond(order: Order, position: number): Generator<Finding, void, undefined> {
    // A sale without an order of its own is reported as one that cannot be checked.
    if (this.#book.orderIdOf(position) === undefined || isTakenBack(String(order.status))) return;
    const message = 'The sale has its order; this one may be a second order for it.';
    yield* this.#about('not_checkable', message, position, { order });
  }

  *#about(
    kind: FindingKind,
    message: string,
    position: number,
    subject: { readonly order: Order; readonly publicIds?: readonly string[] },
  ): Generator<Finding, void, undefined> {
    const { row, idempotencyKey, startedAtMs } = this.#book.at(position);
    if (!this.#window.hasSale(startedAtMs)) return;
    yield finding(kind, message, { row, idempotencyKey, ...subject });
  }
}

/** What to look for the payment of an order by. */
function describeOrder(order: Partial<Order>): string {
  const { domain, sale_price_cents: price, currency = '', external_payment_ref: reference } = order;
  const stated = [`the order of ${domain ?? ''}`];
  if (typeof price === 'number') stated.push(`for ${price} ${currency} (minor units)`);
  if (typeof reference === 'string') stated.push(`with the payment reference "${reference}"`);
  return stated.join(' ');
}

/** Whether the order may be the sale's, though neither id nor reference says so. */
function mayBeOf(sale: BookedSale, order: Order): boolean {
  const { domain, price, currency, reference, publicId } = sale;
  if (publicId !== undefined && reference === undefined) return false;
  const input = { domain, expected_price: price, currency, external_payment_ref: reference };
  return compareOrder(input, order) !== 'other';
}

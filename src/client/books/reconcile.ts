/** reconcileBooks: compares the partner's sales with the orders at the service. It writes nothing. */

import { InvalidRequestError, invalidRequest } from '../errors/invalid-request-error.js';
import { MarketError } from '../errors/market-error.js';
import { isRecord } from '../../core/json.js';
import { parseServiceTime } from '../../core/service-time.js';
import type { Order, OrderFilters } from '../model/orders.js';
import { isOtherDomain } from '../sale/compare-fields.js';
import { checkSale, type BookedSale } from './booked-sale.js';
import { finding, noFindings, type Finding, type FindingKind } from './findings.js';
import { OrderJoin } from './join-orders.js';
import { OrderReader, type ReconcileContext } from './order-reader.js';
import { readArguments, type ReconcileArguments } from './reconcile-options.js';
import { SaleBook } from './sale-book.js';
import { compareStatements } from './statements.js';

/**
 * The result of a finished comparison.
 *
 * @example
 * ```ts
 * import type { ReconcileSummary } from 'market-partner-sdk';
 *
 * const isGreen = ({ findings }: ReconcileSummary) =>
 *   Object.values(findings).every((count) => count === 0);
 * ```
 */
export interface ReconcileSummary {
  /** Sales of the window in the books; a row that cannot be read counts as one. */
  readonly sales: number;
  /** Orders that the service showed, each counted once per reading. */
  readonly orders: number;
  /** Sales of the window without a finding. */
  readonly agreed: number;
  /** How many findings there are of each kind. */
  readonly findings: Readonly<Record<FindingKind, number>>;
  /** How many findings are of kind `not_checkable`: nothing was proven about them. */
  readonly notCheckable: number;
  /** Start of the window, ISO 8601 UTC; this moment is in the window. */
  readonly from: string;
  /** End of the window, ISO 8601 UTC; this moment is not in the window. */
  readonly to: string;
}

const dayMs = 24 * 3_600_000;

/**
 * A comparison that runs while it is iterated, once. `summary` is there after its end.
 *
 * @example
 * ```ts
 * import { MarketClient } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const from = new Date(Date.now() - 7 * 24 * 3_600_000);
 * const comparison = market.orders.reconcile({ sales: [], from });
 * for await (const { kind, message, nextStep } of comparison) console.log(kind, message, nextStep);
 * console.log(comparison.summary.agreed);
 * ```
 */
export class Reconciliation implements AsyncIterable<Finding> {
  readonly #reader: OrderReader;
  readonly #arguments: ReconcileArguments;
  readonly #nowMs: number;
  readonly #book = new SaleBook();
  readonly #join: OrderJoin;
  readonly #counts = noFindings();
  readonly #rowsWithFindings = new Set<number>();
  #salesInWindow = 0;
  #ordersRead = 0;
  /** Whether the lists that were read have shown every order. */
  #isComplete = true;
  /** Findings of the list that is being read. */
  readonly #joined: Finding[] = [];
  #state: 'new' | 'running' | 'ended' = 'new';

  /** @internal `orders.reconcile` creates it. */
  constructor(context: ReconcileContext, books: unknown, options: unknown) {
    this.#nowMs = context.engine.now();
    this.#arguments = readArguments(books, options, this.#nowMs);
    const { fromMs, toMs, graceMs, stuckAfterMs, call } = this.#arguments;
    this.#reader = new OrderReader(context, call, () => this.#report());
    const youngMs = this.#nowMs - graceMs;
    this.#join = new OrderJoin(
      this.#book,
      {
        hasSale: (startedAtMs) => startedAtMs >= fromMs && startedAtMs < toMs,
        hasOrder: (createdAtMs) =>
          createdAtMs >= fromMs && createdAtMs < toMs && createdAtMs < youngMs,
        // A window that ended earlier is not about them.
        isYoung: (createdAtMs) => createdAtMs >= youngMs && toMs >= youngMs,
        graceMs,
      },
      { nowMs: this.#nowMs, stuckAfterMs },
    );
  }

  /**
   * The counts of the finished comparison.
   *
   * @throws {@link MarketError} while findings are left to read.
   */
  get summary(): ReconcileSummary {
    if (this.#state !== 'ended') {
      throw new MarketError('The comparison has not ended. Read all of its findings first.');
    }
    const { fromMs, toMs } = this.#arguments;
    return {
      sales: this.#salesInWindow,
      orders: this.#ordersRead,
      agreed: this.#salesInWindow - this.#rowsWithFindings.size,
      findings: { ...this.#counts },
      notCheckable: this.#counts.not_checkable,
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
    };
  }

  /** Runs the comparison and collects its findings. */
  async toArray(): Promise<Finding[]> {
    const findings: Finding[] = [];
    for await (const each of this) findings.push(each);
    return findings;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Finding, void, undefined> {
    if (this.#state !== 'new') {
      throw new MarketError('A comparison runs once. Call orders.reconcile again.');
    }
    this.#state = 'running';
    for await (const found of this.#run()) {
      this.#counts[found.kind] += 1;
      if (found.row !== undefined) this.#rowsWithFindings.add(found.row);
      yield found;
    }
    this.#state = 'ended';
  }

  async *#run(): AsyncGenerator<Finding, void, undefined> {
    yield* this.#readSales();
    try {
      yield* this.#readOrders();
      yield* this.#lookUpUnjoined();
    } catch (error) {
      // What was found is true even though the rest could not be read.
      yield* this.#joined.splice(0);
      yield* this.#join.rest();
      throw error;
    }
    yield* this.#join.rest();
    if (this.#salesInWindow === 0 && this.#join.hasMisplacedSale) {
      const message = `No sale of the books is in the window, though the service shows orders (${this.#ordersRead}). Check "startedAt" of the books, and the window.`;
      yield finding('not_checkable', message);
    }
    const { settlements, fromMs, toMs } = this.#arguments;
    if (settlements) yield* compareStatements(this.#reader, fromMs, toMs);
  }

  async *#readSales(): AsyncGenerator<Finding, void, undefined> {
    let row = 0;
    for await (const sale of this.#arguments.sales) {
      try {
        const booked = checkSale(sale, row);
        this.#checkIsNew(booked);
        this.#book.add(booked);
        if (this.#isInWindow(booked)) this.#salesInWindow += 1;
      } catch (error) {
        // Any other error is one of the books: they have failed.
        if (!(error instanceof InvalidRequestError)) throw error;
        this.#salesInWindow += 1;
        yield this.#wrongRow(sale, row, error);
      }
      row += 1;
    }
    this.#report();
  }

  /** If two rows had the same key, one of them would seem to have no order. */
  #checkIsNew({ idempotencyKey }: BookedSale): void {
    const [known] = this.#book.find('idempotencyKey', idempotencyKey);
    if (known === undefined) return;
    const { row } = this.#book.at(known);
    throw invalidRequest('idempotencyKey', `is that of row ${row}: a sale has one row`);
  }

  /** One day at a time, so that no list grows without limit. */
  async *#readOrders(): AsyncGenerator<Finding, void, undefined> {
    // A day more: the service has another clock, and an order comes after its sale began.
    for (let startMs = this.#arguments.fromMs - dayMs; startMs < this.#nowMs; startMs += dayMs) {
      const endMs = startMs + dayMs;
      const from = new Date(startMs);
      // Orders keep arriving, so the last list has no end.
      const filters = endMs < this.#nowMs ? { from, to: new Date(endMs) } : { from };
      const isForeign = ({ created_at: createdAt }: Partial<Order>) => {
        const ms = parseServiceTime(createdAt);
        return ms < startMs - dayMs || ('to' in filters && ms > endMs + dayMs);
      };
      const doubt = await this.#joinOrders(filters, isForeign);
      yield* this.#joined.splice(0);
      if (doubt === undefined) continue;
      this.#isComplete = false;
      yield finding(
        'not_checkable',
        `The list of the orders of one day, from ${from.toISOString()} on, ${doubt}.`,
      );
    }
  }

  /**
   * Joins the orders of a list, none of which is retained.
   *
   * @returns why orders may be missing from it; `undefined` if it shows them all.
   */
  #joinOrders(
    filters: OrderFilters,
    isForeign: (order: Partial<Order>) => boolean,
  ): Promise<string | undefined> {
    return this.#reader.readOrders(filters, isForeign, (order) => {
      this.#ordersRead += 1;
      this.#joined.push(...this.#join.add(order));
    });
  }

  /** A second reading, by domain: orders arrive while a list is read, and a list can be stale. */
  async *#lookUpUnjoined(): AsyncGenerator<Finding, void, undefined> {
    for (const position of this.#book.unjoined()) {
      const sale = this.#book.at(position);
      if (!this.#isInWindow(sale)) continue;
      const isProven = sale.state === 'refused' && this.#isComplete;
      if (isProven && !this.#join.isUndecided(position)) continue;
      const doubt = await this.#joinOrders({ domain: sale.domain }, ({ domain }) =>
        isOtherDomain(domain, sale.domain),
      );
      yield* this.#joined.splice(0);
      yield* this.#afterLookUp(position, sale, doubt);
    }
  }

  *#afterLookUp(
    position: number,
    { row, idempotencyKey, domain, state, startedAtMs }: BookedSale,
    doubt: string | undefined,
  ): Generator<Finding, void, undefined> {
    if (this.#book.orderIdOf(position) !== undefined) return;
    const about = (kind: FindingKind, message: string) =>
      finding(kind, message, { row, idempotencyKey });
    const isYoung = startedAtMs > this.#nowMs - this.#arguments.graceMs;
    if (this.#book.isAmbiguous(position)) {
      yield about('not_checkable', `The service has orders of ${domain} that may be this sale's.`);
    } else if (this.#join.isUndecided(position)) {
      // An order under this reference, with another id than the books have: rest() compares it.
    } else if (doubt !== undefined) {
      yield about('not_checkable', `The list of the orders of ${domain} ${doubt}.`);
    } else if (state === 'refused') {
      // The list has proven that no order exists.
    } else if (isYoung) {
      yield about('not_checkable', 'The sale is so recent that its order may still appear.');
    } else {
      const message = `The sale is ${state} in the books; the service has no order for it.`;
      yield about('missing_at_service', message);
    }
  }

  #wrongRow(sale: unknown, row: number, error: InvalidRequestError): Finding {
    const rules = error.issues.map(({ path, message }) => `"${path}" ${message}`).join('; ');
    const { idempotencyKey, publicId, input } = isRecord(sale) ? sale : {};
    // So that its order does not count as unknown to the books.
    this.#join.ignore(publicId);
    if (isRecord(input)) this.#join.ignore(input.external_payment_ref);
    return finding('not_checkable', `Row ${row} of the books is not valid: ${rules}.`, {
      row,
      nextStep: 'Correct the row. Its sale was not compared.',
      ...(typeof idempotencyKey === 'string' ? { idempotencyKey } : {}),
    });
  }

  #isInWindow({ startedAtMs }: BookedSale): boolean {
    const { fromMs, toMs } = this.#arguments;
    return startedAtMs >= fromMs && startedAtMs < toMs;
  }

  #report(): void {
    this.#arguments.onProgress?.({ sales: this.#book.size, orders: this.#ordersRead });
  }
}

/** compareStatements: whether the orders settled in a period add up to its statement. */

import { parseServiceTime } from '../../core/service-time.js';
import type { Order } from '../model/orders.js';
import type { SettlementStatement } from '../model/settlements.js';
import { isOtherCurrency } from '../sale/compare-fields.js';
import { finding, type Finding } from './findings.js';
import { isSameStatus } from '../assumptions.js';
import type { OrderReader } from './order-reader.js';

const hourMs = 3_600_000;

interface Period {
  readonly statement: SettlementStatement;
  readonly startMs: number;
  readonly endMs: number;
  readonly currency: string;
  readonly grossCents: number;
  soldCents: number;
  /** Why `soldCents` may not be all. */
  doubt: string | undefined;
}

/** Compares the statements whose period ends in the window. */
export async function* compareStatements(
  reader: OrderReader,
  fromMs: number,
  toMs: number,
): AsyncGenerator<Finding, void, undefined> {
  const sums = new StatementSums((first, last) => last >= fromMs && first < toMs);
  const doubt = await reader.readStatements((statement) => sums.addStatement(statement));
  if (doubt !== undefined) yield finding('not_checkable', `The list of the statements ${doubt}.`);
  if (!sums.isNeeded) return;
  // All of them: an order that was settled in the window may have been recorded long before it.
  const problem = await reader.readOrders(
    { status: 'SETTLED' },
    ({ status }) => typeof status === 'string' && !isSameStatus(status, 'SETTLED'),
    (order) => sums.addOrder(order),
  );
  yield* sums.findings(
    problem === undefined ? undefined : `The list of the settled orders ${problem}.`,
  );
}

/** Sums for the statements of the window: first the statements are added, then the settled orders. */
class StatementSums {
  readonly #isInWindow: (firstMs: number, lastMs: number) => boolean;
  readonly #periods: Period[] = [];
  /** Statements that cannot be compared, and why. */
  readonly #unreadable: (readonly [statement: SettlementStatement, reason: string])[] = [];
  /** The first settled order without a time. */
  #undated: string | undefined;

  /** @param isInWindow - whether a period that ends between these moments may end in the window. */
  constructor(isInWindow: (firstMs: number, lastMs: number) => boolean) {
    this.#isInWindow = isInWindow;
  }

  /** Whether there is a statement to compare. */
  get isNeeded(): boolean {
    return this.#periods.length > 0 || this.#unreadable.length > 0;
  }

  addStatement(statement: SettlementStatement): void {
    const { period_start: start, period_end: end } = statement as Partial<SettlementStatement>;
    if (isDay(start) || isDay(end)) {
      if (!this.#mayEndInWindow(end)) return;
      const reason =
        'The statement states its period in days, so the moment of its end is not known.';
      this.#unreadable.push([statement, reason]);
      return;
    }
    const period = toPeriod(statement);
    if (period === undefined) {
      const reason = 'The statement states no period, currency and gross amount to compare.';
      this.#unreadable.push([statement, reason]);
    } else if (this.#isInWindow(period.endMs, period.endMs)) {
      this.#periods.push(period);
    }
  }

  /** @param order - in status SETTLED. */
  addOrder(order: Order): void {
    const { settled_at: settledAt, updated_at: updatedAt, public_id: id } = order;
    const settledMs = parseServiceTime(typeof settledAt === 'string' ? settledAt : updatedAt);
    if (Number.isNaN(settledMs)) {
      this.#undated ??= id;
      return;
    }
    const periods = this.#periods.filter(
      ({ startMs, endMs }) => startMs <= settledMs && settledMs <= endMs,
    );
    const { currency, sale_price_cents: price } = order as Partial<Order>;
    if (typeof currency !== 'string' || currency.trim() === '') {
      for (const each of periods) {
        each.doubt ??= `The settled order ${id} does not state its currency.`;
      }
      return;
    }
    const period = periods
      .filter(({ currency: code }) => !isOtherCurrency(currency, code))
      // A settlement run settles at the end of its period, which may be the start of the next.
      .reduce<Period | undefined>(
        (first, it) => (it.endMs < (first?.endMs ?? Infinity) ? it : first),
        undefined,
      );
    if (period === undefined) return;
    if (typeof price === 'number') period.soldCents += price;
    else period.doubt ??= `The settled order ${id} does not state its price.`;
  }

  /** @param problem - why the settled orders that were added may not be all. */
  *findings(problem: string | undefined): Generator<Finding, void, undefined> {
    for (const [statement, reason] of this.#unreadable) {
      yield finding('not_checkable', reason, { statement });
    }
    const doubtOfAll =
      problem ??
      (this.#undated === undefined
        ? undefined
        : `The settled order ${this.#undated} does not state when it was settled.`);
    for (const { statement, grossCents, soldCents, currency, doubt } of this.#periods) {
      const reason = doubtOfAll ?? doubt;
      if (reason !== undefined) {
        yield finding('not_checkable', reason, { statement });
      } else if (grossCents !== soldCents) {
        const message = `The statement says ${grossCents} ${currency} gross, its settled orders add up to ${soldCents}, in minor units.`;
        yield finding('statement_differs', message, { statement });
      }
    }
  }

  /** The last day of a period may be of any time zone, from UTC+14 to UTC-12. */
  #mayEndInWindow(end: unknown): boolean {
    const endMs = parseServiceTime(end);
    if (!isDay(end)) return Number.isNaN(endMs) || this.#isInWindow(endMs, endMs);
    return this.#isInWindow(endMs - 14 * hourMs, endMs + 36 * hourMs);
  }
}

/** `2026-11-22`, and whatever else has no time of day. */
function isDay(stated: unknown): boolean {
  const text = String(stated);
  return !text.includes(':') && !Number.isNaN(Date.parse(text));
}

function toPeriod(statement: SettlementStatement): Period | undefined {
  const { period_start: start, period_end: end, currency, gross_sold_cents: gross } = statement;
  const startMs = parseServiceTime(start);
  const endMs = parseServiceTime(end);
  if (Number.isNaN(startMs) || Number.isNaN(endMs)) return undefined;
  if (typeof currency !== 'string' || typeof gross !== 'number') return undefined;
  const code = currency.trim().toUpperCase();
  if (code === '') return undefined;
  return {
    statement,
    startMs,
    endMs,
    currency: code,
    grossCents: gross,
    soldCents: 0,
    doubt: undefined,
  };
}

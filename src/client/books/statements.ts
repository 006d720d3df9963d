/** compareStatements: whether the orders settled in a period add up to its statement. */

import type { Order } from '../model/orders.js';
import type { SettlementStatement } from '../model/settlements.js';
import { finding, type Finding } from './findings.js';
import type { OrderReader } from './order-reader.js';

interface Period {
  readonly statement: SettlementStatement;
  readonly startMs: number;
  readonly endMs: number;
  readonly currency: string;
  readonly grossCents: number;
  soldCents: number;
}

/** Compares the statements whose period ends in the window. */
export async function* compareStatements(
  reader: OrderReader,
  fromMs: number,
  toMs: number,
): AsyncGenerator<Finding, void, undefined> {
  const sums = new StatementSums((endMs) => endMs >= fromMs && endMs < toMs);
  const doubt = await reader.readStatements((statement) => sums.addStatement(statement));
  if (doubt !== undefined) yield finding('not_checkable', `The list of the statements ${doubt}.`);
  if (!sums.isNeeded) return;
  // All of them: an order that was settled in the window may have been recorded long before it.
  const problem = await reader.readOrders(
    { status: 'SETTLED' },
    ({ status }) => typeof status === 'string' && status !== 'SETTLED',
    (order) => sums.addOrder(order),
  );
  yield* sums.findings(
    problem === undefined ? undefined : `The list of the settled orders ${problem}.`,
  );
}

/** Sums for the statements of the window: first the statements are added, then the settled orders. */
class StatementSums {
  readonly #isInWindow: (endMs: number) => boolean;
  readonly #periods: Period[] = [];
  readonly #unreadable: SettlementStatement[] = [];
  /** The first settled order without a time. */
  #undated: string | undefined;

  /** @param isInWindow - whether a statement whose period ends at this moment is compared. */
  constructor(isInWindow: (endMs: number) => boolean) {
    this.#isInWindow = isInWindow;
  }

  /** Whether there is a statement to compare. */
  get isNeeded(): boolean {
    return this.#periods.length > 0 || this.#unreadable.length > 0;
  }

  addStatement(statement: SettlementStatement): void {
    const period = toPeriod(statement);
    if (period === undefined) this.#unreadable.push(statement);
    else if (this.#isInWindow(period.endMs)) this.#periods.push(period);
  }

  /** @param order - in status SETTLED. */
  addOrder(order: Order): void {
    const { settled_at: settledAt, updated_at: updatedAt, currency } = order;
    const settledMs = Date.parse(typeof settledAt === 'string' ? settledAt : (updatedAt ?? ''));
    if (Number.isNaN(settledMs)) {
      this.#undated ??= order.public_id;
      return;
    }
    const period = this.#periods
      .filter(({ currency: code }) => code === currency.toUpperCase())
      .filter(({ startMs, endMs }) => startMs <= settledMs && settledMs <= endMs)
      // A settlement run settles at the end of its period, which may be the begin of the next.
      .reduce<Period | undefined>(
        (first, it) => (it.endMs < (first?.endMs ?? Infinity) ? it : first),
        undefined,
      );
    if (period !== undefined) period.soldCents += order.sale_price_cents;
  }

  /** @param problem - why the settled orders that were added may not be all. */
  *findings(problem: string | undefined): Generator<Finding, void, undefined> {
    for (const statement of this.#unreadable) {
      const message = 'The statement states no period, currency and gross amount to compare.';
      yield finding('not_checkable', message, { statement });
    }
    const reason =
      problem ??
      (this.#undated === undefined
        ? undefined
        : `The settled order ${this.#undated} does not state when it was settled.`);
    for (const { statement, grossCents, soldCents, currency } of this.#periods) {
      if (reason !== undefined) {
        yield finding('not_checkable', reason, { statement });
      } else if (grossCents !== soldCents) {
        const message = `The statement says ${grossCents} ${currency} gross, its settled orders add up to ${soldCents}, in minor units.`;
        yield finding('statement_differs', message, { statement });
      }
    }
  }
}

function toPeriod(statement: SettlementStatement): Period | undefined {
  const { period_start: start, period_end: end, currency, gross_sold_cents: gross } = statement;
  const startMs = Date.parse(String(start));
  const endMs = Date.parse(String(end));
  if (Number.isNaN(startMs) || Number.isNaN(endMs)) return undefined;
  if (typeof currency !== 'string' || typeof gross !== 'number') return undefined;
  return {
    statement,
    startMs,
    endMs,
    currency: currency.toUpperCase(),
    grossCents: gross,
    soldCents: 0,
  };
}

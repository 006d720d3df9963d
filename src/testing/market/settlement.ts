/** Settlement, payouts and transactions (specification, 4.4). */

import type { Account } from './account.js';
import { settleCommissions } from './referral.js';
import type { Market } from './market.js';
import { transitionOrder } from './orders.js';
import { commissionOf } from './prices.js';
import type { Sequenced, StoredTransaction, EmulatorStatement, StoredPayout } from './records.js';

/**
 * Closes the period of one account: delivered orders become settled, with one statement for each
 * currency, and hosted sales and deals are paid out. No statement if nothing was sold.
 */
export function settleAccount(market: Market, account: Account): (EmulatorStatement & Sequenced)[] {
  const now = market.clock.now();
  const delivered = account.orders.filter(({ status }) => status === 'TRANSFER_COMPLETED');
  const currencies = [...new Set(delivered.map(({ currency }) => currency))];
  const statements = currencies.map((currency, at): EmulatorStatement & Sequenced => {
    const sold = delivered.filter((order) => order.currency === currency);
    const gross = sum(sold.map(({ sale_price_cents }) => sale_price_cents));
    const retained = sum(sold.map(({ sale_price_cents }) => commissionOf(sale_price_cents)));
    return {
      seq: account.statements.length + 1 + at,
      settlement_id: market.identifiers.next('set_'),
      period_start: market.timestamp(account.settledUntil),
      period_end: market.timestamp(now),
      gross_sold_cents: gross,
      commission_retained_cents: retained,
      amount_owed_cents: gross - retained,
      currency,
      status: 'CLOSED',
    };
  });
  for (const order of delivered) transitionOrder(market, account, order, 'settle');
  account.statements.push(...statements);
  payOut(market, account);
  settleCommissions(market, account);
  account.settledUntil = now;
  return statements;
}

/** Every sale of the account, oldest first: orders and paid hosted checkouts. */
export function transactionsOf(account: Account): StoredTransaction[] {
  const orders = account.orders.map((order) => ({
    seq: order.seq,
    transaction_id: `txn_${order.public_id}`,
    public_id: order.public_id,
    domain: order.domain,
    status: order.status,
    payment_model: 'partner_collected' as const,
    sale_price_cents: order.sale_price_cents,
    commission_cents: commissionOf(order.sale_price_cents),
    currency: order.currency,
    created_at: order.created_at,
  }));
  const hosted = account.sessions.flatMap(({ sale }) => (sale === undefined ? [] : [sale]));
  // By place, not by time: sales of one moment, or after a clock that was set back, keep their order.
  return [...orders, ...hosted].sort((a, b) => a.seq - b.seq);
}

/** Gross value and commission of sales, without refunded and canceled ones. */
export function totalsOf(transactions: readonly StoredTransaction[]) {
  const sold = transactions.filter(({ status }) => status !== 'REFUNDED' && status !== 'CANCELLED');
  return sumsOf(
    sold.map(({ sale_price_cents, commission_cents, currency }) => ({
      gmv_cents: sale_price_cents,
      commission_cents,
      currency,
    })),
  );
}

/** Gross value and commission; with several currencies one pair of sums for each. */
export function sumsOf(
  amounts: readonly {
    readonly gmv_cents: number;
    readonly commission_cents: number;
    readonly currency: string;
  }[],
) {
  const currencies = [...new Set(amounts.map(({ currency }) => currency))];
  const sumsIn = (currency: string) => {
    const own = amounts.filter((amount) => amount.currency === currency);
    return {
      gmv_cents: sum(own.map(({ gmv_cents }) => gmv_cents)),
      commission_cents: sum(own.map(({ commission_cents }) => commission_cents)),
      currency,
    };
  };
  return currencies.length > 1
    ? { by_currency: currencies.map(sumsIn) }
    : sumsIn(currencies[0] ?? 'USD');
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

function payOut(market: Market, account: Account): void {
  const pay = (source: StoredPayout['source'], amount_cents: number, currency: string) => {
    account.payouts.push({
      seq: account.payouts.length + 1,
      payout_id: market.identifiers.next('po_'),
      amount_cents,
      currency,
      source,
      paid_at: market.timestamp(),
    });
  };
  for (const session of account.sessions) {
    if (session.sale?.status !== 'PAID') continue;
    session.sale = { ...session.sale, status: 'SETTLED' };
    pay('hosted_checkout', session.sale.commission_cents, session.sale.currency);
  }
  for (const brokerage of account.cases) {
    if (brokerage.outcome !== 'deal' || brokerage.paidOut) continue;
    brokerage.paidOut = true;
    pay('brokerage', commissionOf(brokerage.price_cents ?? 0), 'USD');
  }
}

import type { Account } from './account.js';
import { settleCommissions } from './referral.js';
import type { Market } from './market.js';
import { moveOrder } from './orders.js';
import { commissionOf } from './prices.js';

/** What one period came to (specification, 4.4). Amounts are cents. */
export interface Statement {
  /** Place in the emulator's list; not on the wire. */
  readonly seq: number;
  /** Identifier of the statement. */
  readonly settlement_id: string;
  /** First moment of the period, ISO 8601 UTC. */
  readonly period_start: string;
  /** Last moment of the period, ISO 8601 UTC. */
  readonly period_end: string;
  /** Sum of the sale prices. */
  readonly gross_sold_cents: number;
  /** What the partner keeps of it. */
  readonly commission_retained_cents: number;
  /** What the partner owes the service. */
  readonly amount_owed_cents: number;
  /** Currency code: a statement has one. */
  readonly currency: string;
  /** The one status that there is. */
  readonly status: 'CLOSED';
}

/** Money that the service has paid to the partner. */
export interface Payout {
  readonly seq: number;
  readonly payout_id: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly source: 'hosted_checkout' | 'brokerage';
  readonly paid_at: string;
}

/** One sale in the transaction history. */
export interface Transaction {
  readonly seq: number;
  readonly transaction_id: string;
  readonly public_id: string;
  readonly domain: string;
  readonly status: string;
  readonly payment_model: 'partner_collected' | 'hosted_checkout';
  readonly sale_price_cents: number;
  readonly commission_cents: number;
  readonly currency: string;
  readonly created_at: string;
}

/**
 * Closes the period of one account: what is delivered becomes settled, with one statement for each
 * currency; what the service collected itself is paid out. No statement where nothing was sold.
 */
export function settleAccount(market: Market, account: Account): Statement[] {
  const now = market.clock.now();
  const delivered = account.orders.filter(({ status }) => status === 'TRANSFER_COMPLETED');
  const currencies = [...new Set(delivered.map(({ currency }) => currency))];
  const statements = currencies.map((currency, at): Statement => {
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
  for (const order of delivered) moveOrder(market, account, order, 'settle');
  account.statements.push(...statements);
  payOut(market, account);
  settleCommissions(market, account);
  account.settledUntil = now;
  return statements;
}

/** Every sale of the account, oldest first: orders, and what was paid in a hosted checkout. */
export function transactionsOf(account: Account): Transaction[] {
  const orders = account.orders.map((order) => ({
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
  return [...orders, ...hosted]
    .sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
    .map((transaction, at) => ({ seq: at + 1, ...transaction }));
}

/** Gross value and commission of sales, those taken back left out. */
export function totalsOf(transactions: readonly Transaction[]) {
  const kept = transactions.filter(({ status }) => status !== 'REFUNDED' && status !== 'CANCELLED');
  return {
    gmv_cents: sum(kept.map(({ sale_price_cents }) => sale_price_cents)),
    commission_cents: sum(kept.map(({ commission_cents }) => commission_cents)),
    currency: kept[0]?.currency ?? 'USD',
  };
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

function payOut(market: Market, account: Account): void {
  const pay = (source: Payout['source'], amount_cents: number, currency: string) => {
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

/** Money between partner and service: statements, transactions, payouts (specification, part 4.4). */

import type { OrderStatus } from './orders.js';
import type { DateRange, PageRequest } from './ranges.js';

/**
 * The account of one period: sold, retained and owed. The specification names no field of it, so
 * every field is assumed and may be absent.
 *
 * @see specification, part 4.4: GET /settlements
 *
 * @example
 * ```ts
 * import { MarketClient, type SettlementStatement } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const statements: SettlementStatement[] = await market.orders.listSettlements().toArray();
 * console.log(statements[0]?.amount_owed_cents);
 * ```
 */
export interface SettlementStatement {
  /** Identifier of the statement. Assumed (part 4.4); may be absent. */
  settlement_id?: string;
  /** First moment of the period, ISO 8601 UTC. Assumed (part 4.4); may be absent. */
  period_start?: string;
  /** Last moment of the period, ISO 8601 UTC. Assumed (part 4.4); may be absent. */
  period_end?: string;
  /** Gross sold, in minor currency units. Assumed name (part 4.4); may be absent. */
  gross_sold_cents?: number;
  /** Commission that you retained, in minor currency units. Assumed name (part 4.4); may be absent. */
  commission_retained_cents?: number;
  /** What you owe the service, in minor currency units. Assumed name (part 4.4); may be absent. */
  amount_owed_cents?: number;
  /** Currency code, such as `USD`. Assumed (part 4.4); may be absent. */
  currency?: string;
  /** Where the period stands. Assumed (part 4.4); may be absent. */
  status?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

/**
 * One sale of the history. The specification names no field of it, so every field is assumed and
 * may be absent.
 *
 * @see specification, part 4.4: GET /transactions
 *
 * @example
 * ```ts
 * import { MarketClient, type Transaction } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const sales: Transaction[] = await market.orders.listTransactions().toArray({ limit: 100 });
 * console.log(sales.map(({ domain }) => domain));
 * ```
 */
export interface Transaction {
  /** Identifier of the transaction. Assumed (part 4.4); may be absent. */
  transaction_id?: string;
  /** Identifier of the order. Assumed for this record (part 2); may be absent. */
  public_id?: string;
  /** The domain sold. Assumed (part 4.4); may be absent. */
  domain?: string;
  /** Where the sale stands. Assumed for this record (part 4.4); may be absent. */
  status?: OrderStatus;
  /** How the buyer's money was collected. Assumed for this record (part 4.4); may be absent. */
  payment_model?: string;
  /** Sale price in minor currency units. Assumed for this record (part 2); may be absent. */
  sale_price_cents?: number;
  /** Your commission in minor currency units. Assumed (part 4.4); may be absent. */
  commission_cents?: number;
  /** Currency code, such as `USD`. Assumed (part 4.4); may be absent. */
  currency?: string;
  /** Time of the sale, ISO 8601 UTC. Assumed (part 4.4); may be absent. */
  created_at?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

/**
 * Narrows the sales history. `from`, `to`, `status` and `payment_model` are documented; their
 * values are not shown, nor are the page's parameters.
 *
 * @see specification, part 4.4: GET /transactions
 *
 * @example
 * ```ts
 * import type { TransactionFilters } from 'market-partner-sdk';
 *
 * const filters: TransactionFilters = { from: '2026-01-01', to: '2026-03-31' };
 * ```
 */
export interface TransactionFilters extends DateRange, PageRequest {
  /** Only sales in this status (part 4.4). */
  status?: string | undefined;
  /** Only sales whose money was collected in this way (part 4.4). */
  payment_model?: string | undefined;
}

/**
 * Sums over the sales history. The totals are documented as GMV and commission; the names of the
 * fields are assumed, and each may be absent.
 *
 * @see specification, part 4.4: GET /transactions
 *
 * @example
 * ```ts
 * import type { TransactionTotals } from 'market-partner-sdk';
 *
 * const share = ({ gmv_cents = 0, commission_cents = 0 }: TransactionTotals) =>
 *   gmv_cents === 0 ? 0 : commission_cents / gmv_cents;
 * ```
 */
export interface TransactionTotals {
  /** Gross merchandise value in minor currency units. Assumed name (part 4.4); may be absent. */
  gmv_cents?: number;
  /** Commission in minor currency units. Assumed name (part 4.4); may be absent. */
  commission_cents?: number;
  /** Currency code, such as `USD`. Assumed (part 4.4); may be absent. */
  currency?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

/**
 * A payment of the service to the partner: commissions where the partner is not merchant of
 * record, and brokerage. The specification names no field of it, so every field is assumed and
 * may be absent.
 *
 * @see specification, part 4.4: GET /payouts
 *
 * @example
 * ```ts
 * import { MarketClient, type Payout } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const payouts: Payout[] = await market.orders.listPayouts().toArray();
 * console.log(payouts[0]?.amount_cents, payouts[0]?.paid_at);
 * ```
 */
export interface Payout {
  /** Identifier of the payout. Assumed (part 4.4); may be absent. */
  payout_id?: string;
  /** Amount in minor currency units. Assumed (part 4.4); may be absent. */
  amount_cents?: number;
  /** Currency code, such as `USD`. Assumed (part 4.4); may be absent. */
  currency?: string;
  /** What it was paid for, such as brokerage. Assumed (part 4.4); may be absent. */
  source?: string;
  /** Time of payment, ISO 8601 UTC. Assumed (part 4.4); may be absent. */
  paid_at?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

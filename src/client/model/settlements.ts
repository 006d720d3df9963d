/** Money between partner and service: statements, transactions, payouts (specification, part 4.4). */

import type { OrderStatus } from './orders.js';
import type { DateRange, PageRequest } from './ranges.js';

/**
 * The statement of one period: what was sold, retained and owed. The specification names no field of
 * it, so every field is assumed and may be absent.
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
  /** Identifier of the statement. @assumed part 4.4 */
  settlement_id?: string;
  /** First moment of the period, ISO 8601 UTC. @assumed part 4.4 */
  period_start?: string;
  /** Last moment of the period, ISO 8601 UTC. @assumed part 4.4 */
  period_end?: string;
  /** Gross sold, in minor currency units. @assumed part 4.4 */
  gross_sold_cents?: number;
  /** Commission that you retained, in minor currency units. @assumed part 4.4 */
  commission_retained_cents?: number;
  /** What you owe the service, in minor currency units. @assumed part 4.4 */
  amount_owed_cents?: number;
  /** Currency code, such as `USD`. @assumed part 4.4 */
  currency?: string;
  /** Status of the period. @assumed part 4.4 */
  status?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

/**
 * One sale in the history. The specification names no field of it, so every field is assumed and
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
  /** Identifier of the transaction. @assumed part 4.4 */
  transaction_id?: string;
  /** Identifier of the order. @assumed part 2 */
  public_id?: string;
  /** The domain sold. @assumed part 4.4 */
  domain?: string;
  /** Status of the sale. @assumed part 4.4 */
  status?: OrderStatus;
  /** How the buyer's money was collected. @assumed part 4.4 */
  payment_model?: string;
  /** Sale price in minor currency units. @assumed part 2 */
  sale_price_cents?: number;
  /** Your commission in minor currency units. @assumed part 4.4 */
  commission_cents?: number;
  /** Currency code, such as `USD`. @assumed part 4.4 */
  currency?: string;
  /** Time of the sale, ISO 8601 UTC. @assumed part 4.4 */
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
  /** Gross merchandise value in minor currency units. @assumed part 4.4 */
  gmv_cents?: number;
  /** Commission in minor currency units. @assumed part 4.4 */
  commission_cents?: number;
  /** Currency code, such as `USD`. @assumed part 4.4 */
  currency?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

/**
 * A payment from the service to the partner: commissions if the partner is not merchant of
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
  /** Identifier of the payout. @assumed part 4.4 */
  payout_id?: string;
  /** Amount in minor currency units. @assumed part 4.4 */
  amount_cents?: number;
  /** Currency code, such as `USD`. @assumed part 4.4 */
  currency?: string;
  /** What it was paid for, such as brokerage. @assumed part 4.4 */
  source?: string;
  /** Time of payment, ISO 8601 UTC. @assumed part 4.4 */
  paid_at?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

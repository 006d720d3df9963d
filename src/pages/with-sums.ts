/** Pages of lists that come with a sum beside their items. */

import { findBeside, isRecord, runningBalanceNames, totalsNames } from '../assumptions.js';
import type { Commission, Transaction, TransactionTotals } from '../model/index.js';
import { Page, type PageParts } from './page.js';

/**
 * A page of the sales history, with the totals that the service sends beside it.
 *
 * @see specification, part 4.4: GET /transactions
 *
 * @example
 * ```ts
 * import { MarketClient, type TransactionPage } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const page: TransactionPage = await market.orders.listTransactions({ from: '2026-11-01' });
 * console.log(page.totals?.gmv_cents, page.totals?.commission_cents);
 * ```
 */
export class TransactionPage extends Page<Transaction> {
  /** GMV and commission over the sales that the filters select; absent when the answer has none. */
  readonly totals: TransactionTotals | undefined;

  /** @internal */
  constructor(parts: PageParts<Transaction>) {
    super(parts);
    const totals = findBeside(this.body, totalsNames);
    this.totals = isRecord(totals) ? totals : undefined;
  }
}

/**
 * A page of the commission ledger, with the running balance.
 *
 * @see specification, part 4.6: GET /me/commissions
 *
 * @example
 * ```ts
 * import { MarketClient, type CommissionPage } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const page: CommissionPage = await market.referral.listCommissions({ from: '2026-11-01' });
 * console.log(page.items.length, page.runningBalance);
 * ```
 */
export class CommissionPage extends Page<Commission> {
  /**
   * The running balance in minor currency units: the one beside the list, else the one of the
   * page's last entry. Absent when the answer has none as a whole number; `body` has what it has.
   */
  readonly runningBalance: number | undefined;

  /** @internal */
  constructor(parts: PageParts<Commission>) {
    super(parts);
    const balance =
      findBeside(this.body, runningBalanceNames) ??
      findBeside(this.items.at(-1), runningBalanceNames);
    this.runningBalance = Number.isInteger(balance) ? (balance as number) : undefined;
  }
}

/** Pages of lists that come with a sum beside their items. */

import { findBeside, isRecord, runningBalanceNames, totalsNames } from '../assumptions.js';
import type { Commission, Transaction, TransactionTotals } from '../model/index.js';
import { Page, type PageParts } from './page.js';

/** A page of the sales history, with the totals that the service sends beside it (specification, part 4.4). */
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

/** A page of the commission ledger, with the running balance (specification, part 4.6). */
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

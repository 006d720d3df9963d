/** TransactionPage and CommissionPage: pages with a sum next to their items. */

import { defaultPlaces, findSiblingField } from '../assumptions.js';
import { isRecord } from '../../core/json.js';
import { receivedPage } from '../profile/received.js';
import { balanceAs, totalsAs } from '../profile/sums.js';
import type { Commission, Transaction, TransactionTotals } from '../model/index.js';
import { Page, type PageInit } from './page.js';

/**
 * A page of the sales history, with the totals that the service sends with it.
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
  /** GMV and commission over the sales that the filters select; absent when the response has none. */
  readonly totals: TransactionTotals | undefined;

  /** @internal */
  constructor(init: PageInit<Transaction>) {
    super(init);
    const totals = findSiblingField(this.body, defaultPlaces.lists.totals);
    const { profile } = receivedPage(init.response) ?? {};
    if (!isRecord(totals)) this.totals = undefined;
    else this.totals = profile === undefined ? totals : totalsAs(profile, totals, this.body);
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
   * The running balance in minor currency units: the one next to the list. Absent when the response has none there
   * as a whole number: which entry of a ledger is the newest is not known. `body` has the JSON as received.
   */
  readonly runningBalance: number | undefined;

  /** @internal */
  constructor(init: PageInit<Commission>) {
    super(init);
    const { profile } = receivedPage(init.response) ?? {};
    const balance =
      profile === undefined
        ? findSiblingField(this.body, defaultPlaces.lists.runningBalance)
        : balanceAs(profile, this.body, this.items);
    this.runningBalance = Number.isSafeInteger(balance) ? (balance as number) : undefined;
  }
}

/** Tracking links, their sales and commissions (specification, 4.6). */

import { optional, string, withDefault } from '../../core/schema/options.js';
import { EmulatorError } from '../service-error.js';
import { cents, check } from '../values.js';
import type { Account } from './account.js';
import type { Input, linkFields } from './input.js';
import type { Market } from './market.js';
import { commissionOf } from './prices.js';
import type { Sequenced, StoredLink, EmulatorReferralSale, StoredCommission } from './records.js';

/** A sale to record on a link. */
export interface ReferralSaleInput {
  /** The domain that is bought. */
  readonly domain: string;
  /** The price in minor currency units. */
  readonly amount_cents: number;
  /** The emulator's own share of the amount unless given. */
  readonly commission_cents?: number | undefined;
  /** The buyer's address; an invented one unless given. */
  readonly buyer?: string | undefined;
  /** Currency code; `'USD'` unless given. */
  readonly currency?: string | undefined;
}

export const referralSaleFields = () => ({
  domain: string(),
  amount_cents: cents(),
  commission_cents: optional(cents()),
  buyer: withDefault(string(), 'buyer@mail.example'),
  currency: withDefault(string(), 'USD'),
});

export function createLink(
  market: Market,
  account: Account,
  input: Input<typeof linkFields>,
): StoredLink {
  const link_id = market.identifiers.next('lnk_');
  const link: StoredLink = {
    seq: account.links.length + 1,
    link_id,
    ...input,
    url: `/r/${link_id}`,
    created_at: market.timestamp(),
    clicks: 0,
    sales: 0,
  };
  account.links.push(link);
  return link;
}

export function recordClick(market: Market, account: Account, link: StoredLink): void {
  link.clicks += 1;
  account.clicks.push({ link_id: link.link_id, at: market.clock.now() });
}

/** A sale through a link: the commission accrues. */
export function recordReferralSale(
  market: Market,
  account: Account,
  link: StoredLink,
  input: ReferralSaleInput,
): EmulatorReferralSale & Sequenced {
  const { commission_cents, ...fields } = check(referralSaleFields, input);
  const sale: EmulatorReferralSale & Sequenced = {
    seq: account.referralSales.length + 1,
    sale_id: market.identifiers.next('rs_'),
    link_id: link.link_id,
    ...fields,
    commission_cents: commission_cents ?? commissionOf(fields.amount_cents),
    sold_at: market.timestamp(),
  };
  link.sales += 1;
  account.referralSales.push(sale);
  account.commissions.push({
    seq: account.commissions.length + 1,
    commission_id: market.identifiers.next('com_'),
    sale_id: sale.sale_id,
    status: 'accrued',
    amount_cents: sale.commission_cents,
    currency: sale.currency,
    created_at: sale.sold_at,
  });
  return sale;
}

/** Cancels a sale and reverses its commission unless that was paid out. */
export function reverseSale(account: Account, saleId: string): boolean {
  const commission = account.commissions.find(({ sale_id }) => sale_id === saleId);
  if (commission === undefined) return false;
  if (commission.status === 'paid_out' || commission.status === 'reversed') {
    throw new EmulatorError(`the commission of ${saleId} is ${commission.status} already`);
  }
  commission.status = 'reversed';
  return true;
}

/** A settlement run: pays out pending commissions, then makes accrued ones pending. */
export function settleCommissions(market: Market, account: Account): void {
  const due = new Map<string, number>();
  for (const commission of account.commissions) {
    if (commission.status === 'pending') {
      commission.status = 'paid_out';
      due.set(commission.currency, (due.get(commission.currency) ?? 0) + commission.amount_cents);
    } else if (commission.status === 'accrued') {
      commission.status = 'pending';
    }
  }
  for (const [currency, amount_cents] of due) {
    account.referralPayouts.push({
      seq: account.referralPayouts.length + 1,
      payout_id: market.identifiers.next('rpo_'),
      amount_cents,
      currency,
      paid_at: market.timestamp(),
    });
  }
}

/** A line of the ledger with the balance after it. */
type LedgerLine = StoredCommission & { running_balance_cents: number };

/** The ledger, oldest first; the balance is the amount owed in the line's currency after the line. */
export function ledgerOf(account: Account): LedgerLine[] {
  const balances = new Map<string, number>();
  return account.commissions.map((commission) => {
    const { status, currency, amount_cents } = commission;
    const isOwed = status === 'accrued' || status === 'pending';
    const running_balance_cents = (balances.get(currency) ?? 0) + (isOwed ? amount_cents : 0);
    balances.set(currency, running_balance_cents);
    return { ...commission, running_balance_cents };
  });
}

/** The balance after the last line; with several currencies one for each. */
export function balanceOf(ledger: readonly LedgerLine[]) {
  const balances = new Map(
    ledger.map(({ currency, running_balance_cents }) => [currency, running_balance_cents]),
  );
  if (balances.size <= 1) return { running_balance_cents: [...balances.values()][0] ?? 0 };
  return {
    running_balances: [...balances].map(([currency, running_balance_cents]) => ({
      running_balance_cents,
      currency,
    })),
  };
}

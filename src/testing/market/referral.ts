import { EmulatorError } from '../emulator-error.js';
import type { Account } from './account.js';
import type { Market } from './market.js';
import { commissionOf, requireCents } from './prices.js';

/** A tracking link (specification, part 2, "Link types"). */
export interface Link {
  readonly seq: number;
  readonly link_id: string;
  readonly type: string;
  readonly url: string;
  readonly domain: string | undefined;
  readonly product: string | undefined;
  readonly created_at: string;
  clicks: number;
  sales: number;
}

/** A visit of a link, or a checkout begun through it. */
export interface Click {
  readonly link_id: string;
  readonly at: number;
}

/** A sale that came through a tracking link (specification, 4.6). Amounts are cents. */
export interface ReferralSale {
  /** Place in the emulator's list; not on the wire. */
  readonly seq: number;
  /** Identifier of the sale. */
  readonly sale_id: string;
  /** The link that the buyer came through. */
  readonly link_id: string;
  /** Who bought. */
  readonly buyer: string;
  /** What was bought. */
  readonly domain: string;
  /** What the buyer paid. */
  readonly amount_cents: number;
  /** The partner's share of it. */
  readonly commission_cents: number;
  /** Currency code, such as `USD`. */
  readonly currency: string;
  /** Time of the sale, ISO 8601 UTC. */
  readonly sold_at: string;
}

export interface Commission {
  readonly seq: number;
  readonly commission_id: string;
  readonly sale_id: string;
  status: 'accrued' | 'pending' | 'paid_out' | 'reversed';
  readonly amount_cents: number;
  readonly currency: string;
  readonly created_at: string;
}

export interface ReferralPayout {
  readonly seq: number;
  readonly payout_id: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly paid_at: string;
}

/** A sale to record on a link. */
export interface ReferralSaleInput {
  /** What is bought. */
  readonly domain: string;
  /** What the buyer pays, in minor currency units. */
  readonly amount_cents: number;
  /** The emulator's own share of the amount unless given. */
  readonly commission_cents?: number;
  /** Who buys; an invented address unless given. */
  readonly buyer?: string;
  /** Currency code; `'USD'` unless given. */
  readonly currency?: string;
}

export function createLink(
  market: Market,
  account: Account,
  input: Pick<Link, 'type' | 'domain' | 'product'>,
  baseUrl: string,
): Link {
  const link_id = market.identifiers.next('lnk_');
  const link: Link = {
    seq: account.links.length + 1,
    link_id,
    ...input,
    url: `${baseUrl}/r/${link_id}`,
    created_at: market.timestamp(),
    clicks: 0,
    sales: 0,
  };
  account.links.push(link);
  return link;
}

/** The link and whose it is. */
export function findLink(
  market: Market,
  linkId: string,
): { account: Account; link: Link } | undefined {
  for (const account of market.accounts()) {
    const link = account.links.find(({ link_id }) => link_id === linkId);
    if (link !== undefined) return { account, link };
  }
  return undefined;
}

export function recordClick(market: Market, account: Account, link: Link): void {
  link.clicks += 1;
  account.clicks.push({ link_id: link.link_id, at: market.clock.now() });
}

/** A sale through a link: the commission accrues. */
export function recordReferralSale(
  market: Market,
  account: Account,
  link: Link,
  input: ReferralSaleInput,
): ReferralSale {
  const { amount_cents } = input;
  requireCents('amount_cents', amount_cents);
  const { commission_cents = commissionOf(amount_cents) } = input;
  requireCents('commission_cents', commission_cents);
  const sale: ReferralSale = {
    seq: account.referralSales.length + 1,
    sale_id: market.identifiers.next('rs_'),
    link_id: link.link_id,
    buyer: input.buyer ?? 'buyer@mail.example',
    domain: input.domain,
    amount_cents,
    commission_cents,
    currency: input.currency ?? 'USD',
    sold_at: market.timestamp(),
  };
  link.sales += 1;
  account.referralSales.push(sale);
  account.commissions.push({
    seq: account.commissions.length + 1,
    commission_id: market.identifiers.next('com_'),
    sale_id: sale.sale_id,
    status: 'accrued',
    amount_cents: commission_cents,
    currency: sale.currency,
    created_at: sale.sold_at,
  });
  return sale;
}

/** A sale is taken back; its commission is reversed unless it was paid out. */
export function reverseSale(account: Account, saleId: string): boolean {
  const commission = account.commissions.find(({ sale_id }) => sale_id === saleId);
  if (commission === undefined) return false;
  if (commission.status === 'paid_out' || commission.status === 'reversed') {
    throw new EmulatorError(`the commission of ${saleId} is ${commission.status} already`);
  }
  commission.status = 'reversed';
  return true;
}

/** A settlement run: what was pending is paid out, what had accrued is pending. */
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

/** The ledger, oldest first; the balance is what is still owed after each line. */
export function ledgerOf(account: Account): (Commission & { running_balance_cents: number })[] {
  let running_balance_cents = 0;
  return account.commissions.map((commission) => {
    const isOwed = commission.status === 'accrued' || commission.status === 'pending';
    if (isOwed) running_balance_cents += commission.amount_cents;
    return { ...commission, running_balance_cents };
  });
}

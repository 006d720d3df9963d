import { EmulatorError } from './emulator-error.js';
import type { Environment } from './credentials.js';
import type { Account } from './market/account.js';
import { closeCase, caseOnWire, type CaseClosing } from './market/brokerage.js';
import { payCheckout } from './market/checkout.js';
import { normalDomain, type Listing, type ListingInput } from './market/inventory.js';
import type { Market } from './market/market.js';
import { moveOrder, orderOnWire, type OrderMove } from './market/orders.js';
import { requireCents } from './market/prices.js';
import {
  findLink,
  recordClick,
  recordReferralSale,
  reverseSale,
  type Link,
  type ReferralSale,
  type ReferralSaleInput,
} from './market/referral.js';
import { settleAccount, type Statement } from './market/settlement.js';
import { withoutSeq } from './service/pages.js';

/**
 * An order as the service gives it.
 *
 * @interface
 */
export type EmulatorOrder = ReturnType<typeof orderOnWire>;

/**
 * A brokerage case as the service gives it.
 *
 * @interface
 */
export type EmulatorCase = ReturnType<typeof caseOnWire>;

/**
 * What the service's own staff do. Each move of an order emits its event of specification part 6;
 * a move that the order's status does not allow throws an {@link EmulatorError}.
 *
 * @example
 * ```ts
 * import { MarketEmulator } from 'market-partner-sdk/testing';
 *
 * const emulator = await MarketEmulator.start();
 * emulator.admin.reprice('brew.example', 260_000);
 * await emulator.stop();
 * ```
 */
export class Admin {
  readonly #market: Market;

  /** @internal */
  constructor(market: Market) {
    this.#market = market;
  }

  /** EXTERNALLY_PAID to MANUAL_REVIEW. The specification has no event for this. */
  hold(publicId: string): EmulatorOrder {
    return this.#move(publicId, 'hold');
  }

  /** The next order that is recorded is held at once; or the next so many. */
  holdNextOrder(count = 1): void {
    if (!Number.isInteger(count) || count < 1) {
      throw new TypeError('"count" must be a whole number above zero');
    }
    this.#market.ordersToHold += count;
  }

  /** MANUAL_REVIEW to EXTERNALLY_PAID; order.manual_review_cleared. */
  clear(publicId: string): EmulatorOrder {
    return this.#move(publicId, 'clear');
  }

  /** EXTERNALLY_PAID to TRANSFER_IN_PROGRESS; order.transfer_started. */
  startTransfer(publicId: string): EmulatorOrder {
    return this.#move(publicId, 'startTransfer');
  }

  /** TRANSFER_IN_PROGRESS to TRANSFER_COMPLETED; order.transfer_completed. */
  completeTransfer(publicId: string): EmulatorOrder {
    return this.#move(publicId, 'completeTransfer');
  }

  /** Any status to REFUNDED; order.refunded. Unlike a partner, staff may do so after the delivery. */
  refund(publicId: string): EmulatorOrder {
    return this.#move(publicId, 'refund');
  }

  /** Any status before the delivery to CANCELLED; order.refunded. */
  cancel(publicId: string): EmulatorOrder {
    return this.#move(publicId, 'cancel');
  }

  /**
   * Closes the period for every partner: delivered orders are settled (order.settled for each),
   * statements are made, hosted checkouts and brokered deals are paid out, commissions move on
   * from accrued to pending, and from pending to paid out.
   *
   * @returns the statements; none for a partner who sold nothing
   */
  settle(): Omit<Statement, 'seq'>[] {
    return [...this.#market.accounts()]
      .flatMap((account) => settleAccount(this.#market, account))
      .map(withoutSeq);
  }

  /** Closes a brokerage case; brokerage.case_completed if with a deal. */
  closeCase(caseId: string, closing: CaseClosing = {}): EmulatorCase {
    for (const account of this.#market.accounts()) {
      const found = account.cases.find(({ case_id }) => case_id === caseId);
      if (found === undefined) continue;
      closeCase(this.#market, account, found, closing);
      return caseOnWire(found);
    }
    throw new EmulatorError(`there is no case ${caseId}`);
  }

  /** The buyer pays at a hosted checkout, named by its session_id or its checkout_url. */
  payCheckout(session: string): void {
    for (const account of this.#market.accounts()) {
      const found = account.sessions.find(
        ({ session_id, checkout_url }) => session === session_id || session === checkout_url,
      );
      if (found !== undefined) {
        payCheckout(this.#market, account, found);
        return;
      }
    }
    throw new EmulatorError(`there is no checkout ${session}`);
  }

  /** Puts a domain on sale, or replaces its listing. */
  list(listing: ListingInput, environment: Environment = 'sandbox'): Listing {
    return this.#market.inventory(environment).list(listing);
  }

  /** Changes the price of a listed domain. Quotes given before keep theirs. */
  reprice(domain: string, priceCents: number, environment: Environment = 'sandbox'): Listing {
    requireCents('priceCents', priceCents);
    const inventory = this.#market.inventory(environment);
    const listing = inventory.find(domainNamed(domain));
    if (listing === undefined) throw new EmulatorError(`${domain} is not listed`);
    const { floor_price_cents } = listing;
    const repriced = {
      ...listing,
      price_cents: priceCents,
      floor_price_cents: Math.min(floor_price_cents, priceCents),
    };
    inventory.put(repriced);
    return repriced;
  }

  /** Takes a domain off sale. */
  delist(domain: string, environment: Environment = 'sandbox'): void {
    if (!this.#market.inventory(environment).remove(domainNamed(domain))) {
      throw new EmulatorError(`${domain} is not listed`);
    }
  }

  /** Says whether a domain runs an active site, which makes it ineligible for brokerage. */
  markActiveSite(domain: string, isActive = true): void {
    const { activeSites } = this.#market;
    if (isActive) activeSites.add(domainNamed(domain));
    else activeSites.delete(domainNamed(domain));
  }

  /** Somebody follows a tracking link. */
  recordReferralClick(linkId: string): void {
    const { account, link } = this.#link(linkId);
    recordClick(this.#market, account, link);
  }

  /** Somebody who came through a link begins a checkout, and may never end it. */
  recordReferralCheckout(linkId: string): void {
    const { account, link } = this.#link(linkId);
    account.referralCheckouts.push({ link_id: link.link_id, at: this.#market.clock.now() });
  }

  /** Somebody who came through a link buys; the commission accrues. */
  recordReferralSale(linkId: string, sale: ReferralSaleInput): Omit<ReferralSale, 'seq'> {
    const { account, link } = this.#link(linkId);
    return withoutSeq(recordReferralSale(this.#market, account, link, sale));
  }

  /** A referral sale is taken back; its commission is reversed. */
  reverseReferralSale(saleId: string): void {
    for (const account of this.#market.accounts()) {
      if (reverseSale(account, saleId)) return;
    }
    throw new EmulatorError(`there is no referral sale ${saleId}`);
  }

  #move(publicId: string, move: OrderMove): EmulatorOrder {
    const found = this.#market.orders.get(publicId);
    if (found === undefined) throw new EmulatorError(`there is no order ${publicId}`);
    moveOrder(this.#market, found.account, found.order, move);
    return orderOnWire(found.order);
  }

  #link(linkId: string): { account: Account; link: Link } {
    const found = findLink(this.#market, linkId);
    if (found === undefined) throw new EmulatorError(`there is no link ${linkId}`);
    return found;
  }
}

function domainNamed(domain: string): string {
  const normal = normalDomain(domain);
  if (normal === undefined) throw new TypeError(`"domain" ${domain} is not a domain name`);
  return normal;
}

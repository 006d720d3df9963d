/** The actions of the service's staff: `emulator.admin`. */

import { EmulatorError } from './service-error.js';
import type { Environment } from './credentials.js';
import type { Account } from './market/account.js';
import { closeCase, serializeCase, type CloseCaseOptions } from './market/brokerage.js';
import { payCheckout } from './market/checkout.js';
import type { EmulatorEvent } from './market/events.js';
import { whyNotListed } from './market/listed.js';
import {
  lookUpCase,
  lookUpEvent,
  lookUpLink,
  lookUpOrder,
  lookUpQuote,
  lookUpSession,
  missing,
} from './market/lookup.js';
import type { Market } from './market/market.js';
import { serializeOrder, transitionOrder, type OrderTransition } from './market/orders.js';
import { expireQuote } from './market/quotes.js';
import {
  recordClick,
  recordReferralSale,
  reverseSale,
  type ReferralSaleInput,
} from './market/referral.js';
import { settleAccount } from './market/settlement.js';
import {
  emitSyntheticEvent,
  partnerFields,
  type EmitEventOptions,
  type PartnerReference,
} from './market/synthetic-event.js';
import { withoutSeq } from './endpoints/pages.js';
import type {
  ListingInput,
  EmulatorListing,
  EmulatorStatement,
  EmulatorReferralSale,
} from './market/records.js';
import { text, wholeNumber } from '../core/schema/options.js';
import { cents, check, domain as domainName, httpUrl } from './values.js';

/**
 * An order in the form of the API.
 *
 * @interface
 */
export type EmulatorOrder = ReturnType<typeof serializeOrder>;

/**
 * A brokerage case in the form of the API.
 *
 * @interface
 */
export type EmulatorCase = ReturnType<typeof serializeCase>;

const countField = () => ({ count: wholeNumber(1) });
const priceField = () => ({ price_cents: cents() });
const domainField = () => ({ domain: domainName() });
export const webhookFields = () => ({ url: httpUrl(), secret: text() });

/**
 * The actions of the service's staff. Each transition of an order emits its event (specification,
 * part 6); one that the order's status does not allow throws an {@link EmulatorError}.
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
  readonly #redeliver: (account: Account, event: EmulatorEvent) => void;
  readonly #baseUrl: () => string;

  /** @internal */
  constructor(
    market: Market,
    redeliver: (account: Account, event: EmulatorEvent) => void,
    baseUrl: () => string,
  ) {
    this.#market = market;
    this.#redeliver = redeliver;
    this.#baseUrl = baseUrl;
  }

  /** EXTERNALLY_PAID to MANUAL_REVIEW. The specification has no event for this. */
  hold(publicId: string): EmulatorOrder {
    return this.#transition(publicId, 'hold');
  }

  /** Holds the next order as soon as it is recorded, or the next `count` orders. */
  holdNextOrder(count = 1): void {
    check(countField, { count });
    this.#market.ordersToHold += count;
  }

  /**
   * The next refund that a partner requests waits, or the next `count`: the response says `PENDING`, and the order
   * stays as it is until {@link refund} or {@link denyRefund}.
   */
  holdNextRefund(count = 1): void {
    check(countField, { count });
    this.#market.refundsToHold += count;
  }

  /** MANUAL_REVIEW to EXTERNALLY_PAID; order.manual_review_cleared. */
  clear(publicId: string): EmulatorOrder {
    return this.#transition(publicId, 'clear');
  }

  /** EXTERNALLY_PAID to TRANSFER_IN_PROGRESS; order.transfer_started. */
  startTransfer(publicId: string): EmulatorOrder {
    return this.#transition(publicId, 'startTransfer');
  }

  /** TRANSFER_IN_PROGRESS to TRANSFER_COMPLETED; order.transfer_completed. */
  completeTransfer(publicId: string): EmulatorOrder {
    return this.#transition(publicId, 'completeTransfer');
  }

  /** Any status to REFUNDED; order.refunded. Unlike a partner, staff may do so after the delivery. */
  refund(publicId: string): EmulatorOrder {
    return this.#transition(publicId, 'refund');
  }

  /** Any status before the delivery to CANCELLED; order.refunded. */
  cancel(publicId: string): EmulatorOrder {
    return this.#transition(publicId, 'cancel');
  }

  /** Denies a pending refund. The order keeps its status and gets a timeline entry; no event is emitted. */
  denyRefund(publicId: string): EmulatorOrder {
    return this.#transition(publicId, 'denyRefund');
  }

  /**
   * Closes the period for every partner: delivered orders are settled (order.settled for each),
   * statements are made, hosted checkouts and brokered deals are paid out, commissions move on
   * from accrued to pending, and from pending to paid out.
   *
   * @returns the statements; none for a partner who sold nothing
   */
  settle(): EmulatorStatement[] {
    return this.#market
      .accounts()
      .flatMap((account) => settleAccount(this.#market, account))
      .map(withoutSeq);
  }

  /** Closes a brokerage case. Emits brokerage.case_completed if it ends with a deal. */
  closeCase(caseId: string, closing: CloseCaseOptions = {}): EmulatorCase {
    const { account, found } = lookUpCase(this.#market, caseId);
    closeCase(this.#market, account, found, closing);
    return serializeCase(found, this.#baseUrl());
  }

  /** The buyer pays at a hosted checkout, named by its session_id or its checkout_url. */
  payCheckout(session: string): void {
    const { account, found } = lookUpSession(this.#market, session);
    payCheckout(this.#market, account, found);
  }

  /** Registers a webhook for a partner, as PUT /webhooks does (specification, 4.7). */
  registerWebhook(url: string, secret: string, owner: PartnerReference = {}): void {
    check(webhookFields, { url, secret });
    const { partnerId, environment } = check(partnerFields, owner);
    const account = this.#market.account(partnerId, environment);
    const created_at = account.webhook?.created_at ?? this.#market.timestamp();
    account.webhook = { url, secret, active: true, created_at };
  }

  /**
   * Emits an event of any type: into the history, and to the registered webhook. Its payload is
   * `data`, or the order that `order` names, or an invented order.
   */
  emitEvent(type: string, options: EmitEventOptions = {}): EmulatorEvent {
    return emitSyntheticEvent(this.#market, type, options);
  }

  /** Delivers an event of the history once more to the registered webhook, without faults. */
  deliverAgain(eventId: string): void {
    const { account, found } = lookUpEvent(this.#market, eventId);
    if (account.webhook === undefined) {
      throw new EmulatorError(`no webhook is registered for partner ${account.partnerId}`);
    }
    this.#redeliver(account, found);
  }

  /** Puts a domain on sale, or replaces its listing. */
  list(listing: ListingInput, environment: Environment = 'sandbox'): EmulatorListing {
    return this.#market.inventory(environment).list(listing);
  }

  /** Changes the price of a listed domain. Existing quotes keep their price. */
  reprice(
    domain: string,
    price_cents: number,
    environment: Environment = 'sandbox',
  ): EmulatorListing {
    check(priceField, { price_cents });
    const name = requireDomainName(domain);
    const repriced = this.#market.inventory(environment).reprice(name, price_cents);
    if (repriced === undefined) throw this.#notListed(name, environment);
    return repriced;
  }

  /**
   * Ends a quote at once, as if its ten minutes had passed, and its reservation. Unlike a jump of the
   * clock it does not make the timestamps of requests wrong.
   */
  expireQuote(quoteId: string): void {
    expireQuote(this.#market, lookUpQuote(this.#market, quoteId));
  }

  /** Takes a domain off sale. */
  delist(domain: string, environment: Environment = 'sandbox'): void {
    const name = requireDomainName(domain);
    if (this.#market.inventory(environment).remove(name)) return;
    throw this.#notListed(name, environment);
  }

  /** Sets whether a domain runs an active site, which makes it ineligible for brokerage. */
  markActiveSite(domain: string, isActive = true): void {
    const { activeSites } = this.#market;
    if (isActive) activeSites.add(requireDomainName(domain));
    else activeSites.delete(requireDomainName(domain));
  }

  /** A visitor follows a tracking link. */
  recordReferralClick(linkId: string): void {
    const { account, found: link } = lookUpLink(this.#market, linkId);
    recordClick(this.#market, account, link);
  }

  /** A visitor of a link begins a checkout. */
  recordReferralCheckout(linkId: string): void {
    const { account, found: link } = lookUpLink(this.#market, linkId);
    account.referralCheckouts.push({ link_id: link.link_id, at: this.#market.clock.now() });
  }

  /** A visitor of a link buys a domain; the commission accrues. */
  recordReferralSale(linkId: string, sale: ReferralSaleInput): EmulatorReferralSale {
    const { account, found: link } = lookUpLink(this.#market, linkId);
    return withoutSeq(recordReferralSale(this.#market, account, link, sale));
  }

  /** Cancels a referral sale and reverses its commission. */
  reverseReferralSale(saleId: string): void {
    if (this.#market.accounts().some((account) => reverseSale(account, saleId))) return;
    missing('referral sale', saleId);
  }

  #notListed(domain: string, environment: Environment): EmulatorError {
    return new EmulatorError(whyNotListed(this.#market, environment, domain), 'not_found');
  }

  #transition(publicId: string, move: OrderTransition): EmulatorOrder {
    const found = lookUpOrder(this.#market, publicId);
    transitionOrder(this.#market, found.account, found.order, move);
    return serializeOrder(found.order);
  }
}

function requireDomainName(domain: string): string {
  return check(domainField, { domain }).domain;
}

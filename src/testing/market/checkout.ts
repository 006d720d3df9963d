/** Hosted checkouts (specification, 4.3). */

import { EmulatorError } from '../service-error.js';
import type { Account } from './account.js';
import type { checkoutFields, Input } from './input.js';
import { isReservedFrom } from './inventory.js';
import { requireListing } from './listed.js';
import type { Market } from './market.js';
import { checkPrice, commissionOf } from './prices.js';
import { requireNotReserved } from './quotes.js';
import type { StoredCheckoutSession } from './records.js';

/** Specification, parts 2, 3 and 8. */
const expiryMs = 7 * 86_400_000;

export function createSession(
  market: Market,
  account: Account,
  input: Input<typeof checkoutFields>,
): StoredCheckoutSession {
  const listing = requireListing(market, account.environment, input.domain);
  requireNotReserved(listing, account, market.clock.now());
  checkPrice(listing, input, 'the current listing price');

  const session_id = market.identifiers.next('cs_');
  const expires_at = market.timestamp(market.clock.now() + expiryMs);
  const { partnerId, environment } = account;
  const pt = market.signToken({ session_id, partner_id: partnerId, environment, expires_at });
  const session: StoredCheckoutSession = {
    session_id,
    checkout_url: `/checkout?pt=${pt}`,
    domain: listing.domain,
    price_cents: listing.price_cents,
    currency: listing.currency,
    expires_at,
    return_url: input.return_url,
    cancel_url: input.cancel_url,
    sale: undefined,
  };
  account.sessions.push(session);
  return session;
}

export function isExpired(market: Market, session: StoredCheckoutSession): boolean {
  return market.clock.now() > Date.parse(session.expires_at);
}

/** The buyer pays on the hosted page: the domain is sold, and the sale belongs to the partner. */
export function payCheckout(
  market: Market,
  account: Account,
  session: StoredCheckoutSession,
): void {
  const { session_id } = session;
  if (session.sale !== undefined) throw new EmulatorError(`checkout ${session_id} is paid already`);
  if (isExpired(market, session)) {
    throw new EmulatorError(`checkout ${session_id} expired at ${session.expires_at}`);
  }
  const inventory = market.inventory(account.environment);
  const listing = inventory.find(session.domain);
  if (listing !== undefined && isReservedFrom(listing, account.partnerId, market.clock.now())) {
    throw new EmulatorError(`${session.domain} is reserved by a quote of another partner`);
  }
  if (!inventory.remove(session.domain)) {
    throw new EmulatorError(`${session.domain} is no longer listed`);
  }
  session.sale = {
    seq: market.nextSaleSeq(),
    transaction_id: `txn_${session_id}`,
    public_id: session_id,
    domain: session.domain,
    status: 'PAID',
    payment_model: 'hosted_checkout',
    sale_price_cents: session.price_cents,
    commission_cents: commissionOf(session.price_cents),
    currency: session.currency,
    created_at: market.timestamp(),
  };
}

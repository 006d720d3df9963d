import { EmulatorError } from '../emulator-error.js';
import type { Account } from './account.js';
import { listedOr404 } from './inventory.js';
import type { Market } from './market.js';
import { checkPrice, commissionOf } from './prices.js';
import { refuseIfReserved } from './quotes.js';
import type { Transaction } from './settlement.js';

/** Specification, parts 2, 3 and 8. */
const expiryMs = 7 * 86_400_000;

/** A hosted checkout, and the sale that came of it. */
export interface CheckoutSession {
  readonly session_id: string;
  readonly checkout_url: string;
  readonly domain: string;
  readonly price_cents: number;
  readonly currency: string;
  readonly expires_at: string;
  sale: Omit<Transaction, 'seq'> | undefined;
}

export interface CheckoutInput {
  readonly domain: string;
  readonly currency: string | undefined;
  readonly expected_price: number | undefined;
}

export function createSession(
  market: Market,
  account: Account,
  input: CheckoutInput,
  baseUrl: string,
): CheckoutSession {
  const listing = listedOr404(market.inventory(account.environment), input.domain);
  refuseIfReserved(listing, account, market.clock.now());
  checkPrice(listing, input, 'the current listing price');

  const session_id = market.identifiers.next('cs_');
  const expires_at = market.timestamp(market.clock.now() + expiryMs);
  const { partnerId, environment } = account;
  const pt = market.signToken({ session_id, partner_id: partnerId, environment, expires_at });
  const session: CheckoutSession = {
    session_id,
    checkout_url: `${baseUrl}/checkout?pt=${pt}`,
    domain: listing.domain,
    price_cents: listing.price_cents,
    currency: listing.currency,
    expires_at,
    sale: undefined,
  };
  account.sessions.push(session);
  return session;
}

export function isExpired(market: Market, session: CheckoutSession): boolean {
  return market.clock.now() > Date.parse(session.expires_at);
}

/** What the buyer does on the hosted page: the domain is sold, the sale is the partner's. */
export function payCheckout(market: Market, account: Account, session: CheckoutSession): void {
  const { session_id } = session;
  if (session.sale !== undefined) throw new EmulatorError(`checkout ${session_id} is paid already`);
  if (isExpired(market, session)) {
    throw new EmulatorError(`checkout ${session_id} expired at ${session.expires_at}`);
  }
  if (!market.inventory(account.environment).remove(session.domain)) {
    throw new EmulatorError(`${session.domain} is not listed any more`);
  }
  session.sale = {
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

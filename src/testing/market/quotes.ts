/** Quotes (specification, 4.2). */

import { ServiceError } from '../service-error.js';
import type { Account } from './account.js';
import type { quoteFields, Input } from './input.js';
import { isReservedFrom } from './inventory.js';
import { requireListing } from './listed.js';
import type { Owned } from './lookup.js';
import type { Market } from './market.js';
import { checkPrice } from './prices.js';
import type { EmulatorListing, StoredQuote } from './records.js';

/** Specification, parts 3 and 8: a firm price for ten minutes. */
const reservationMs = 10 * 60_000;

export function makeQuote(
  market: Market,
  account: Account,
  input: Input<typeof quoteFields>,
): StoredQuote {
  const inventory = market.inventory(account.environment);
  const listing = requireListing(market, account.environment, input.domain);
  const now = market.clock.now();
  requireNotReserved(listing, account, now);
  checkPrice(listing, input, 'the current listing price');

  const until = now + reservationMs;
  const { domain, price_cents, currency } = listing;
  const quote_id = market.identifiers.next('qt_');
  const expires_at = market.timestamp(until);
  const quote_token = market.signToken({ quote_id, domain, price_cents, currency, expires_at });
  const quote = { quote_id, quote_token, domain, price_cents, currency, expires_at };
  account.quotes.set(quote_id, quote);
  inventory.put({ ...listing, reserved: { partnerId: account.partnerId, until } });
  return quote;
}

/** Ends a quote before its ten minutes have passed; its reservation ends with the partner's last quote. */
export function expireQuote(market: Market, { account, found }: Owned<StoredQuote>): void {
  const { partnerId, quotes, environment } = account;
  const now = market.clock.now();
  quotes.set(found.quote_id, { ...found, expires_at: market.timestamp(now - 1) });
  const inventory = market.inventory(environment);
  const listing = inventory.find(found.domain);
  if (listing?.reserved?.partnerId !== partnerId) return;
  const ends = [...quotes.values()]
    .filter(({ domain }) => domain === found.domain)
    .map(({ expires_at }) => Date.parse(expires_at));
  const until = Math.max(...ends);
  inventory.put({ ...listing, reserved: until < now ? undefined : { partnerId, until } });
}

/** The quote, if it is this account's, for this domain and still within its ten minutes. */
export function requireValidQuote(
  market: Market,
  account: Account,
  quoteId: string,
  domain: string,
): StoredQuote {
  const quote = account.quotes.get(quoteId);
  if (quote === undefined) {
    throw new ServiceError('validation_error', `"quote_id" ${quoteId} is not a quote of yours.`);
  }
  if (quote.domain !== domain) {
    throw new ServiceError(
      'validation_error',
      `"quote_id" ${quoteId} is for ${quote.domain}, not for ${domain}.`,
    );
  }
  if (market.clock.now() > Date.parse(quote.expires_at)) {
    throw new ServiceError('quote_expired', `The quote ${quoteId} expired at ${quote.expires_at}.`);
  }
  return quote;
}

export function requireNotReserved(listing: EmulatorListing, account: Account, now: number): void {
  if (isReservedFrom(listing, account.partnerId, now)) {
    throw new ServiceError(
      'not_found',
      `${listing.domain} is reserved by a quote of another partner.`,
    );
  }
}

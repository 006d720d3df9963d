/** Finds orders, cases, checkouts, events and links of any partner; a missing one is `not_found`. */

import { EmulatorError } from '../service-error.js';
import type { Account } from './account.js';
import type { EmulatorEvent } from './events.js';
import type { Market } from './market.js';
import type { StoredLink, StoredOrder, StoredQuote } from './records.js';
import { findLink } from './referral.js';

type Case = Account['cases'][number];
type Session = Account['sessions'][number];

export function lookUpOrder(
  market: Market,
  publicId: string,
): { order: StoredOrder; account: Account } {
  return market.orders.get(publicId) ?? missing(`order ${publicId}`);
}

export function lookUpCase(market: Market, caseId: string): { found: Case; account: Account } {
  return (
    inAccounts(market, ({ cases }) => cases.find(({ case_id }) => case_id === caseId)) ??
    missing(`case ${caseId}`)
  );
}

/** A hosted checkout by its session_id or its checkout_url. */
export function lookUpSession(market: Market, name: string): { found: Session; account: Account } {
  return (
    inAccounts(market, ({ sessions }) =>
      sessions.find(({ session_id, checkout_url }) => name === session_id || name === checkout_url),
    ) ?? missing(`checkout ${name}`)
  );
}

export function lookUpQuote(
  market: Market,
  quoteId: string,
): { found: StoredQuote; account: Account } {
  return inAccounts(market, ({ quotes }) => quotes.get(quoteId)) ?? missing(`quote ${quoteId}`);
}

export function lookUpEvent(
  market: Market,
  eventId: string,
): { found: EmulatorEvent; account: Account } {
  return (
    inAccounts(
      market,
      ({ history }) => history.entries().find(({ event }) => event.id === eventId)?.event,
    ) ?? missing(`event ${eventId}`)
  );
}

export function lookUpLink(market: Market, linkId: string): { link: StoredLink; account: Account } {
  return findLink(market, linkId) ?? missing(`link ${linkId}`);
}

function inAccounts<Found>(
  market: Market,
  find: (account: Account) => Found | undefined,
): { found: Found; account: Account } | undefined {
  for (const account of market.accounts()) {
    const found = find(account);
    if (found !== undefined) return { found, account };
  }
  return undefined;
}

function missing(what: string): never {
  throw new EmulatorError(`there is no ${what}`, 'not_found');
}

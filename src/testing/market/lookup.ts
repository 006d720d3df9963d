/** Finds orders, cases, checkouts, events and links of any partner; a missing one is `not_found`. */

import { EmulatorError } from '../service-error.js';
import type { Account } from './account.js';
import type { EmulatorEvent } from './events.js';
import type { Market } from './market.js';
import type {
  StoredCase,
  StoredCheckoutSession,
  StoredLink,
  StoredOrder,
  StoredQuote,
} from './records.js';

/** A record, and the account that has it. */
export interface Owned<Item> {
  readonly found: Item;
  readonly account: Account;
}

export function lookUpOrder(
  market: Market,
  publicId: string,
): { order: StoredOrder; account: Account } {
  return market.orders.get(publicId) ?? missing('order', publicId);
}

export function lookUpCase(market: Market, caseId: string): Owned<StoredCase> {
  const find = ({ cases }: Account) => cases.find(({ case_id }) => case_id === caseId);
  return inAccounts(market, find) ?? missing('case', caseId);
}

/** A hosted checkout by its session_id or its checkout_url, whichever caller that was made for. */
export function lookUpSession(market: Market, name: unknown): Owned<StoredCheckoutSession> {
  const find = ({ sessions }: Account) =>
    sessions.find(
      ({ session_id, checkout_url }) =>
        name === session_id || (typeof name === 'string' && name.endsWith(checkout_url)),
    );
  return inAccounts(market, find) ?? missing('checkout', name);
}

export function lookUpQuote(market: Market, quoteId: string): Owned<StoredQuote> {
  return inAccounts(market, ({ quotes }) => quotes.get(quoteId)) ?? missing('quote', quoteId);
}

export function lookUpEvent(market: Market, eventId: string): Owned<EmulatorEvent> {
  const find = ({ history }: Account) =>
    history.entries().find(({ event }) => event.id === eventId)?.event;
  return inAccounts(market, find) ?? missing('event', eventId);
}

export function lookUpLink(market: Market, linkId: string): Owned<StoredLink> {
  return findLink(market, linkId) ?? missing('link', linkId);
}

export function findLink(market: Market, linkId: string): Owned<StoredLink> | undefined {
  return inAccounts(market, ({ links }) => links.find(({ link_id }) => link_id === linkId));
}

function inAccounts<Item>(
  market: Market,
  find: (account: Account) => Item | undefined,
): Owned<Item> | undefined {
  for (const account of market.accounts()) {
    const found = find(account);
    if (found !== undefined) return { found, account };
  }
  return undefined;
}

/** @throws {@link TypeError} for what is no id: a variable that was never set */
export function missing(what: string, id: unknown): never {
  if (typeof id !== 'string') throw new TypeError(`"${what}" must be a string, its id`);
  throw new EmulatorError(`there is no ${what} ${id}`, 'not_found');
}

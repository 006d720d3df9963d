/**
 * Pages for people without a credential: the hosted checkout (specification, 4.3), the progress
 * of a case (4.5) and the target of a tracking link (4.6). None of them is signed.
 */

import { isExpired } from '../market/checkout.js';
import type { Account } from '../market/account.js';
import type { ServiceResponse, RawRequest } from '../http/messages.js';
import { findLink } from '../market/lookup.js';
import type { Market } from '../market/market.js';
import { recordClick } from '../market/referral.js';
import { decodedPairs } from '../verification/canonical.js';

/** Makes the page at this path; `undefined` for requests of the API. */
export function publicPage(
  market: Market,
  { method, rawQuery }: RawRequest,
  path: string,
): (() => ServiceResponse) | undefined {
  if (method !== 'GET') return undefined;
  const [, place, ...rest] = path.split('/');
  if (place === 'checkout' && rest.length === 0) return () => checkoutPage(market, rawQuery);
  const [first = '', second = ''] = rest;
  if (place === 'r' && rest.length === 1) return () => followLink(market, first);
  if (place === 'brokerage' && first === 'progress' && rest.length === 2) {
    return () => progressPage(market, second);
  }
  return undefined;
}

function checkoutPage(market: Market, rawQuery: string): ServiceResponse {
  const pt = decodedPairs(rawQuery).find(([key]) => key === 'pt')?.[1] ?? '';
  const token = market.readToken(pt);
  const session = accountOf(market, token)?.sessions.find(
    ({ session_id }) => session_id === token?.session_id,
  );
  if (session === undefined) return html(403, 'This checkout link is not valid.');
  if (session.sale !== undefined) return html(200, `${session.domain} is paid.`);
  if (isExpired(market, session)) return html(410, 'This checkout link has expired.');
  const price = `${(session.price_cents / 100).toFixed(2)} ${session.currency}`;
  return html(200, `Buy ${session.domain} for ${price}.`);
}

function progressPage(market: Market, link: string): ServiceResponse {
  const token = market.readToken(link);
  const found = accountOf(market, token)?.cases.find(({ case_id }) => case_id === token?.case_id);
  if (found === undefined) return html(404, 'This progress link is not valid.');
  return html(200, `Case ${found.case_id}: ${found.status}.`);
}

function followLink(market: Market, linkId: string): ServiceResponse {
  const owned = findLink(market, linkId);
  if (owned === undefined) return html(404, 'This link is not known.');
  const { found: link, account } = owned;
  recordClick(market, account, link);
  const target = link.domain ?? link.product ?? 'the marketplace';
  return html(200, `You are on your way to ${target}.`);
}

function accountOf(
  market: Market,
  token: Readonly<Record<string, unknown>> | undefined,
): Account | undefined {
  for (const account of market.accounts()) {
    const isOwner =
      account.partnerId === token?.partner_id && account.environment === token.environment;
    if (isOwner) return account;
  }
  return undefined;
}

function html(status: number, text: string): ServiceResponse {
  const escaped = text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<!doctype html><title>Market</title><p>${escaped}</p>`,
  };
}

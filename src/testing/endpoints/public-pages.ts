/**
 * Pages for people without a credential: the hosted checkout (specification, 4.3), the progress
 * of a case (4.5) and the target of a tracking link (4.6). None of them is signed.
 */

import { minorUnitDigits } from '../../client/display/minor-units.js';
import { isExpired, payCheckout } from '../market/checkout.js';
import type { Account } from '../market/account.js';
import type { ServiceResponse, RawRequest } from '../http/messages.js';
import { findLink } from '../market/lookup.js';
import type { Market } from '../market/market.js';
import type { StoredCheckoutSession } from '../market/records.js';
import { recordClick } from '../market/referral.js';
import { EmulatorError } from '../service-error.js';
import { decodedPairs } from '../verification/canonical.js';

/** Makes the page at this path; `undefined` for requests of the API. */
export function publicPage(
  market: Market,
  request: RawRequest,
  path: string,
): (() => ServiceResponse) | undefined {
  const { method } = request;
  const [, place, ...rest] = path.split('/');
  const isCheckout = place === 'checkout' && rest.length === 0;
  if (isCheckout && (method === 'GET' || method === 'POST')) {
    return () => checkoutPage(market, request);
  }
  if (method !== 'GET') return undefined;
  const [first = '', second = ''] = rest;
  if (place === 'r' && rest.length === 1) return () => followLink(market, first);
  if (place === 'brokerage' && first === 'progress' && rest.length === 2) {
    return () => progressPage(market, second);
  }
  return undefined;
}

function checkoutPage(market: Market, { method, rawQuery, body }: RawRequest): ServiceResponse {
  const pt = decodedPairs(rawQuery).find(([key]) => key === 'pt')?.[1] ?? '';
  const token = market.readToken(pt);
  const account = accountOf(market, token);
  const session = account?.sessions.find(({ session_id }) => session_id === token?.session_id);
  if (account === undefined || session === undefined) {
    return html(403, 'This checkout link is not valid.');
  }
  const action =
    method === 'POST' ? new URLSearchParams(body.toString('utf8')).get('action') : undefined;
  if (action === 'cancel') return leave(session.cancel_url, 'Cancelled. You can still pay later.');
  if (session.sale !== undefined) return html(200, `${session.domain} is paid.`);
  if (isExpired(market, session)) return html(410, 'This checkout link has expired.');
  if (action === 'pay') return pay(market, account, session);
  const { domain, price_cents, currency } = session;
  const digits = minorUnitDigits(currency);
  const price = `${(price_cents / 10 ** digits).toFixed(digits)} ${currency}`;
  return html(200, `Buy ${domain} for ${price}.`, checkoutForm);
}

function pay(market: Market, account: Account, session: StoredCheckoutSession): ServiceResponse {
  try {
    payCheckout(market, account, session);
  } catch (error) {
    if (error instanceof EmulatorError) return html(409, `Not paid: ${error.message}.`);
    throw error;
  }
  return leave(session.return_url, `${session.domain} is paid.`);
}

/** The address as it was given: the specification shows nothing that the service adds to it. */
function leave(url: string | undefined, text: string): ServiceResponse {
  const page = html(url === undefined ? 200 : 303, text);
  if (url === undefined) return page;
  // A header holds no letter beyond Latin-1. What is ASCII stays as it was given.
  const location = /^[!-~]*$/.test(url) ? url : new URL(url).href;
  return { ...page, headers: { ...page.headers, location } };
}

function progressPage(market: Market, link: string): ServiceResponse {
  const token = market.readToken(link);
  const found = accountOf(market, token)?.cases.find(({ case_id }) => case_id === token?.case_id);
  if (found === undefined) return html(404, 'This progress link is not valid.');
  const { domain, case_id, outcome } = found;
  const ended = outcome === 'deal' ? 'The deal was closed' : 'The case ended without a deal';
  const state = outcome === null ? 'A broker is working on it' : ended;
  return html(200, `Case ${case_id} for ${domain}`, `<p>${state}.</p>`);
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
  return market
    .accounts()
    .find((each) => each.partnerId === token?.partner_id && each.environment === token.environment);
}

function html(status: number, text: string, more = ''): ServiceResponse {
  const escaped = text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    // Without an icon of its own, a browser's request for one is an error in the console.
    body: `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>${escaped}</title><style>${pageStyle}</style><main><h1>${escaped}</h1>${more}</main></html>`,
  };
}

const checkoutForm =
  '<form method="post"><button name="action" value="pay">Pay</button> <button name="action" value="cancel">Cancel</button></form><small>This is an emulator. No money moves.</small>';

const pageStyle =
  ':root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0}h1{font-size:1.25rem}main{max-width:26rem;margin:15vh auto;padding:0 1rem}button{font:inherit;padding:.5rem 1.25rem;border:1px solid #767676;border-radius:6px}button[value=pay]{background:#0b57d0;color:#fff;border-color:#0b57d0}small{display:block;margin-top:1.5rem}';

/** The JSON of the control API: requests, orders and the whole state, without secrets. */

import type { EmulatorClock } from '../clock.js';
import type { IssuedCredential } from '../credentials.js';
import { serializeLink, withoutSeq } from '../endpoints/pages.js';
import type { ArmedFault } from '../faults/fault-options.js';
import type { Account } from '../market/account.js';
import { serializeCase } from '../market/brokerage.js';
import { allowedTransitions, serializeOrderDetail } from '../market/orders.js';
import {
  addressAt,
  type StoredCheckoutSession,
  type EmulatorListing,
  type StoredCase,
  type StoredLink,
  type StoredOrder,
  type StoredPayout,
  type StoredQuote,
} from '../market/records.js';
import type { RecordedRequest } from '../request-log.js';

/** A longer body of a request is shown by its beginning. */
const maxShownBytes = 65_536;

const secretHeaders = ['authorization', 'proxy-authorization', 'cookie'];

/** What a view depends on beside its record. */
export interface ViewContext {
  readonly now: number;
  /** The emulator as the caller reaches it. */
  readonly baseUrl: string;
}

/** A request of the log; secrets in its headers and its body are replaced. */
export function viewRequest(request: RecordedRequest) {
  const { body, headers, durationMs } = request;
  const text = redact(Buffer.from(body.subarray(0, maxShownBytes)).toString('utf8'));
  return {
    requestId: request.requestId,
    receivedAt: request.receivedAt,
    /** `null`: the response never comes. */
    durationMs: Number.isFinite(durationMs) ? Math.ceil(durationMs) : null,
    method: request.method,
    rawPath: request.rawPath,
    path: request.path,
    query: request.query,
    endpoint: request.endpoint,
    status: request.status,
    verdict: request.verdict,
    reason: request.reason,
    errorCode: request.errorCode,
    errorMessage: request.errorMessage,
    faults: request.faults,
    canonical: request.canonical,
    orderId: orderOf(request, text),
    keyId: headers['x-market-key-id'] ?? null,
    idempotencyKey: headers['idempotency-key'] ?? null,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        secretHeaders.includes(name) ? '[removed]' : value,
      ]),
    ),
    bodyBytes: body.length,
    body: text,
  };
}

/** A request with its response, which is too long for a list. */
export function viewRequestWithResponse(request: RecordedRequest) {
  const { response } = request;
  return {
    ...viewRequest(request),
    response:
      response === undefined
        ? null
        : {
            status: response.status,
            headers: response.headers,
            body: redact(response.body.slice(0, maxShownBytes)),
          },
  };
}

/** The order that a request names in its path or body, or that it made; `null` for a list of orders. */
function orderOf({ method, path, response }: RecordedRequest, body: string): string | null {
  const made = method !== 'GET' && response !== undefined ? response.body : '';
  const match =
    /\/orders\/([^/]+)/.exec(path) ?? /"public_id"\s*:\s*"([^"]+)"/.exec(`${body} ${made}`);
  return match?.[1] ?? null;
}

/** A webhook registration is the one request whose body holds a secret. */
function redact(text: string): string {
  return text.replace(/("secret"\s*:\s*)"(?:[^"\\]|\\.)*"?/g, '$1"[removed]"');
}

export function viewOrder(order: StoredOrder, account: Account) {
  return {
    ...serializeOrderDetail(order),
    ...ownerOf(account),
    /** The actions of the staff that its status allows. */
    actions: allowedTransitions(order),
  };
}

export function viewCase(brokerage: StoredCase, account: Account, { baseUrl }: ViewContext) {
  return { ...serializeCase(brokerage, baseUrl), ...ownerOf(account) };
}

export function viewQuote(quote: StoredQuote, account: Account, { now }: ViewContext) {
  const { quote_id, domain, price_cents, currency, expires_at } = quote;
  return {
    quote_id,
    domain,
    price_cents,
    currency,
    expires_at,
    expires_in_ms: Math.max(Date.parse(expires_at) - now, 0),
    ...ownerOf(account),
  };
}

/** A listed domain, and until when a quote reserves it. */
export function viewListing({ reserved, ...listing }: EmulatorListing, now: number) {
  const isReserved = reserved !== undefined && now <= reserved.until;
  return {
    ...listing,
    ...(isReserved ? { reserved_until: new Date(reserved.until).toISOString() } : {}),
  };
}

export function viewSession(
  session: StoredCheckoutSession,
  account: Account,
  { now, baseUrl }: ViewContext,
) {
  const { sale, ...shown } = session;
  return {
    ...shown,
    checkout_url: addressAt(baseUrl, session.checkout_url),
    expires_in_ms: Math.max(Date.parse(session.expires_at) - now, 0),
    is_paid: sale !== undefined,
    ...ownerOf(account),
  };
}

export function viewLink(link: StoredLink, account: Account, { baseUrl }: ViewContext) {
  return { ...serializeLink(link, baseUrl), ...ownerOf(account) };
}

/** What the service paid to a partner, for hosted checkouts, deals and referrals. */
export function viewPayout(payout: Omit<StoredPayout, 'source'>, account: Account) {
  return { ...withoutSeq(payout), ...ownerOf(account) };
}

/** The registered webhook of an account, without its secret; none or one. */
export function viewWebhook(account: Account) {
  const { webhook } = account;
  if (webhook === undefined) return [];
  return [{ url: webhook.url, created_at: webhook.created_at, ...ownerOf(account) }];
}

export function viewCredential(credential: IssuedCredential) {
  const { keyId, scopes, environment, partnerId, affiliate } = credential;
  return { keyId, scopes, environment, partnerId, affiliate };
}

export function viewClock(clock: EmulatorClock) {
  const now = clock.now();
  return { now, iso: new Date(now).toISOString(), offsetMs: clock.offsetMs };
}

/** JSON has no Infinity: `null` is a fault that applies until it is removed. */
export function viewFault(fault: ArmedFault) {
  return { ...fault, left: fault.left === Infinity ? null : fault.left };
}

function ownerOf({ partnerId, environment }: Account) {
  return { partner_id: partnerId, environment };
}

/** `decideVerdict`: what is known about a sale, and what to do next if that is not enough. */

import { readError, type ErrorFields } from '../../core/errors/read-error.js';
import { lookUpPauseMs, unwrapRecord } from '../assumptions.js';
import { isObject } from '../../core/json.js';
import { MarketError } from '../errors/market-error.js';
import type { Order, OrderInput } from '../model/orders.js';
import { findContradiction } from './compare-order.js';
import type { LookUp } from './match-orders.js';

/** The result of one `orders.create`: its data, or the error that it rejected with. */
export type AttemptResult = { readonly order: unknown } | { readonly error: unknown };

/** Everything that the verdict depends on. */
export interface SaleEvidence {
  readonly sent: OrderInput;
  /** The result of this attempt. `undefined`: it has not been sent yet. */
  readonly attempt: AttemptResult | undefined;
  /** Whether a request of this sale may have reached the service before this attempt. */
  readonly mayHaveBeenSent: boolean;
  /** Whether the service may have forgotten the key: the sale began over `idempotencyWindowMs` ago. */
  readonly keyIsOld: boolean;
  /** The look-ups since this attempt ended, or before it if it has not been sent; oldest first. */
  readonly lookUps: readonly LookUp[];
}

/** Why the service refused a sale. `'other'`: a code that this version does not know. */
export type RefusalReason = 'price_mismatch' | 'quote_expired' | 'not_listed' | 'invalid' | 'other';

/** The outcome of a sale, as far as it is known. */
export type Verdict =
  /** The order exists. `'replayed'`: the request returned it; `'looked_up'`: the list showed it. */
  | { readonly state: 'placed'; readonly order: Order; readonly found: 'replayed' | 'looked_up' }
  /** No order exists, and the service said why. */
  | {
      readonly state: 'refused';
      readonly reason: RefusalReason;
      readonly error: unknown;
      readonly confirmed: 'first_attempt' | 'looked_up';
    }
  /** Not known: repeat later, with the same key and the same bytes. */
  | {
      readonly state: 'open';
      readonly cause: 'credentials' | 'rate_limited' | 'unknown';
      readonly error: unknown;
      /** The service's Retry-After, in milliseconds: a lower bound. */
      readonly retryAfterMs: number | undefined;
    }
  /** For an operator: never repeated, never under another key. */
  | {
      readonly state: 'attention';
      readonly reason: 'key_conflict' | 'ambiguous';
      readonly candidates: readonly Order[];
      readonly error: unknown;
    };

/** A verdict, or the step that is needed to reach one. */
export type SaleStep =
  | Verdict
  /** Send the order with its key, then decide again with the result and no look-ups. */
  | { readonly state: 'send' }
  /** Wait `afterMs`, read `orders.list({ domain })`, then decide again with that look-up added. */
  | { readonly state: 'look_up'; readonly afterMs: number };

/** The documented refusals of POST /orders (specification, parts 4.2 and 7). */
const refusalReasons = new Map<string, RefusalReason>([
  ['price_mismatch', 'price_mismatch'],
  ['quote_expired', 'quote_expired'],
  ['not_found', 'not_listed'],
  ['validation_error', 'invalid'],
]);

/** Codes of part 7 that judge the request's headers or its credential, never the sale. */
const requestCodes = new Set([
  'invalid_signature',
  'invalid_timestamp',
  'replay_detected',
  'forbidden',
]);

/**
 * Decides a sale only from its evidence. A refusal is believed at once only if nothing was sent
 * before and this attempt's outcome is `'rejected'`; otherwise two look-ups must show no order.
 *
 * @see specification, parts 4.2 and 7
 */
export function decideVerdict(evidence: SaleEvidence): SaleStep {
  const { sent, attempt, mayHaveBeenSent, keyIsOld, lookUps } = evidence;
  if (attempt === undefined) {
    return mayHaveBeenSent && keyIsOld
      ? decideByLookUps(lookUps, undefined, { state: 'send' })
      : { state: 'send' };
  }
  if ('order' in attempt) return decideSuccess(sent, attempt.order);

  const { error } = attempt;
  const fields = readError(error);
  const { code, status, outcome } = fields;
  const stated = findStatedOrder(fields);
  if (stated !== undefined) return ambiguous(stated, error);
  if (typeof code !== 'string') return openVerdict(error);
  if (isAboutTheRequest(code)) return openVerdict(error, 'credentials');
  if (status === 409) return decideConflict(lookUps, error);
  if (!isRefusal(status)) return openVerdict(error);

  const reason = refusalReasons.get(code);
  const isCertain = reason !== undefined && !mayHaveBeenSent && outcome === 'rejected';
  const refused = (confirmed: 'first_attempt' | 'looked_up') =>
    ({ state: 'refused', reason: reason ?? 'other', error, confirmed }) as const;
  return isCertain
    ? refused('first_attempt')
    : decideByLookUps(lookUps, error, refused('looked_up'));
}

/** A gateway can respond 2xx with its own page: only a record with an order's id is an order. */
function decideSuccess(sent: OrderInput, order: unknown): Verdict {
  if (!hasPublicId(order)) {
    return openVerdict(new TypeError('The response to POST /orders holds no order.'));
  }
  const contradiction = findContradiction(sent, order);
  if (contradiction === undefined) return { state: 'placed', order, found: 'replayed' };
  const message = `POST /orders responded with an order that ${contradiction}.`;
  return ambiguous(order, new MarketError(message, { method: 'POST', outcome: 'unknown' }));
}

/**
 * The order next to an error: of a 2xx that `orders.create` refused, as it states another sale or an
 * error's code, or of a refusal. A conflict may name the order that the key placed; there the list decides.
 */
function findStatedOrder({ status, body }: ErrorFields): Order | undefined {
  const isSuccess = typeof status === 'number' && status >= 200 && status < 300;
  const order = isSuccess || isRefusal(status) ? unwrapRecord(body, ['public_id']) : undefined;
  return hasPublicId(order) ? order : undefined;
}

function ambiguous(order: Order, error: unknown): Verdict {
  return { state: 'attention', reason: 'ambiguous', candidates: [order], error };
}

function decideByLookUps(
  lookUps: readonly LookUp[],
  error: unknown,
  otherwise: Extract<SaleStep, { state: 'refused' | 'send' }>,
): SaleStep {
  for (const lookUp of lookUps) {
    if (lookUp.state === 'failed') return openVerdict(lookUp.error);
    if (lookUp.state === 'ours') {
      return { state: 'placed', order: lookUp.order, found: 'looked_up' };
    }
    if (lookUp.state === 'possible') {
      return { state: 'attention', reason: 'ambiguous', candidates: lookUp.candidates, error };
    }
  }
  if (lookUps.length >= 2) return otherwise;
  return { state: 'look_up', afterMs: lookUps.length === 0 ? 0 : lookUpPauseMs };
}

/** One look-up shows the operator what exists; it decides nothing. */
function decideConflict(lookUps: readonly LookUp[], error: unknown): SaleStep {
  const [lookUp] = lookUps;
  if (lookUp === undefined) return { state: 'look_up', afterMs: 0 };
  const candidates =
    lookUp.state === 'ours' ? [lookUp.order] : lookUp.state === 'possible' ? lookUp.candidates : [];
  return { state: 'attention', reason: 'key_conflict', candidates, error };
}

/** What a request that decided nothing leaves to do. */
export function undecided(error: unknown): Verdict & { readonly state: 'open' } {
  const { code } = readError(error);
  return openVerdict(
    error,
    typeof code === 'string' && isAboutTheRequest(code) ? 'credentials' : undefined,
  );
}

function openVerdict(error: unknown, cause?: 'credentials'): Verdict & { readonly state: 'open' } {
  const { retryAfterMs, ...fields } = readError(error);
  return {
    state: 'open',
    cause: cause ?? causeOf(fields),
    error,
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
  };
}

/** Without a code it is a gateway that refuses: perhaps this one request, and not the credential. */
function causeOf({
  status,
  code,
}: Pick<ErrorFields, 'status' | 'code'>): 'credentials' | 'rate_limited' | 'unknown' {
  if ((status === 401 || status === 403) && typeof code === 'string') return 'credentials';
  return status === 429 ? 'rate_limited' : 'unknown';
}

/** The statuses of the documented refusals, but for a conflict. */
function isRefusal(status: unknown): boolean {
  return status === 400 || status === 404 || status === 422;
}

/** A proxy that drops headers causes the `missing_*` codes (specification, part 7). */
function isAboutTheRequest(code: string): boolean {
  return requestCodes.has(code) || code.startsWith('missing_');
}

function hasPublicId(value: unknown): value is Order {
  if (!isObject(value)) return false;
  const { public_id: publicId } = value as { public_id?: unknown };
  return typeof publicId === 'string' && publicId !== '';
}

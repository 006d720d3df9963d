/** `decideVerdict`: what is known about a sale, and what to do next if that is not enough. */

import { readError, type ErrorFields } from '../../core/errors/read-error.js';
import { isDenied, lookUpPauseMs } from '../assumptions.js';
import { unwrapRecord } from '../envelope/unwrap-record.js';
import { MarketError } from '../errors/market-error.js';
import type { Order, OrderInput } from '../model/orders.js';
import { findContradiction } from './compare-order.js';
import { isOrder, type LookUp } from './match-orders.js';

/** The result of one `orders.create`: its data, or the error that it rejected with. */
export type AttemptResult = { readonly order: unknown } | { readonly error: unknown };

/** Everything that the result depends on. */
export interface SaleEvidence {
  readonly sent: OrderInput;
  /** The result of this attempt. `undefined`: it has not been sent yet. */
  readonly attempt: AttemptResult | undefined;
  /** Whether a request of this sale may have reached the service before this attempt. */
  readonly mayHaveBeenSent: boolean;
  /** Whether the service may have forgotten the key: the sale began over `idempotencyWindowMs` ago. */
  readonly keyIsOld: boolean;
  /** Whether this attempt repeats one that met a conflict. */
  readonly isAskedAgain?: boolean | undefined;
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
  /** For manual review: never retried, never under another key. */
  | {
      readonly state: 'attention';
      readonly reason: 'key_conflict' | 'ambiguous' | 'price_unit';
      readonly candidates: readonly Order[];
      readonly error: unknown;
    };

/** A result, or the step that is needed to reach one. */
export type SaleStep =
  | Verdict
  /** Send the order with its key, then decide again with the result and no look-ups. */
  | { readonly state: 'send' }
  /** Wait `afterMs`, send it once more, then decide again with `isAskedAgain` and no look-ups. */
  | { readonly state: 'ask_again'; readonly afterMs: number }
  /** Wait `afterMs`, read `orders.list({ domain })`, then decide again with that look-up added. */
  | { readonly state: 'look_up'; readonly afterMs: number };

/** The documented refusals of POST /orders (specification, parts 4.2 and 7). */
const refusalReasons = new Map<string, RefusalReason>([
  ['price_mismatch', 'price_mismatch'],
  ['quote_expired', 'quote_expired'],
  ['not_found', 'not_listed'],
  ['validation_error', 'invalid'],
]);

/** Codes of part 7 that judge the credential, and so every sale that is sent with it. */
const credentialCodes = new Set(['missing_credentials', 'invalid_signature', 'forbidden']);

/** Codes of part 7 that judge the request as it arrived, or the moment: never the sale. */
const requestCodes = new Set([
  ...credentialCodes,
  'missing_signature_headers',
  'missing_idempotency_key',
  'invalid_timestamp',
  'replay_detected',
  'rate_limited',
  'internal_error',
]);

/** Statuses of the same kind. */
const requestStatuses = new Set<unknown>([401, 408, 425, 429]);

/** Codes of a key that is known or in use: its order may exist, or may be about to. */
const aboutTheKey =
  /conflict|idempot|key|duplicate|exists|progress|process|pending|in_?use|concurren|retry/i;

/** By then a request that was still at work has usually ended. */
const askAgainMs = 15_000;

/**
 * Decides a sale only from its evidence. A refusal is believed at once only if nothing was sent
 * before and this attempt's outcome is `'rejected'`; otherwise two look-ups must show no order.
 *
 * @see specification, parts 4.2 and 7
 */
export function decideVerdict(evidence: SaleEvidence): SaleStep {
  const { attempt, mayHaveBeenSent, keyIsOld, lookUps } = evidence;
  if (attempt === undefined) {
    return mayHaveBeenSent && keyIsOld
      ? decideByLookUps(lookUps, undefined, { state: 'send' })
      : { state: 'send' };
  }
  if ('order' in attempt) return decideSuccess(evidence, attempt.order);

  const { error } = attempt;
  const fields = readError(error);
  const { code, status, outcome } = fields;
  const reason = typeof code === 'string' ? refusalReasons.get(code) : undefined;
  const stated = findStatedOrder(fields);
  // A conflict may name the order that the key placed; there the list decides.
  if (stated !== undefined && (status !== 409 || reason !== undefined)) {
    return ambiguous(stated, error);
  }
  if (typeof code !== 'string') {
    // A success without the order, or a conflict without a reason: the list may show the order.
    const mayShow = isSuccess(status) || status === 409;
    return mayShow ? decideByLookUps(lookUps, error, openVerdict(error)) : openVerdict(error);
  }
  if (!isRefusal(status, code)) return openVerdict(error);

  const isFirst = !mayHaveBeenSent && outcome === 'rejected';
  const isConflict = reason === undefined && (status === 409 || aboutTheKey.test(code));
  const conflict = isConflict ? decideConflict(evidence, { code, error, isFirst }) : undefined;
  if (conflict !== undefined) return conflict;

  const refused = (confirmed: 'first_attempt' | 'looked_up') =>
    ({ state: 'refused', reason: reason ?? 'other', error, confirmed }) as const;
  return reason !== undefined && isFirst
    ? refused('first_attempt')
    : decideByLookUps(lookUps, error, refused('looked_up'));
}

/** A gateway can respond 2xx with its own page: only a record with an order's id is an order. */
function decideSuccess({ sent, lookUps }: SaleEvidence, order: unknown): SaleStep {
  if (!isOrder(order)) {
    const error = new TypeError('The response to POST /orders holds no order.');
    return decideByLookUps(lookUps, error, openVerdict(error));
  }
  const contradiction = findContradiction(sent, order);
  if (contradiction !== undefined) return ambiguous(order, objectionTo(contradiction));
  if (!isDenied(order.status)) return { state: 'placed', order, found: 'replayed' };
  const error = objectionTo(`has the status ${JSON.stringify(order.status).slice(0, 100)}`);
  const step = decideByLookUps(lookUps, error, ambiguous(order, error));
  const isStillDenied = step.state === 'placed' && isDenied(step.order.status);
  return isStillDenied ? ambiguous(step.order, error) : step;
}

function objectionTo(what: string): MarketError {
  const message = `POST /orders responded with an order that ${what}.`;
  return new MarketError(message, { method: 'POST', outcome: 'unknown' });
}

/**
 * The order next to an error: of a 2xx that `orders.create` refused, as it states another sale or an
 * error's code, or of a refusal.
 */
function findStatedOrder({ status, body }: ErrorFields): Order | undefined {
  const mayState = isSuccess(status) || isClientError(status);
  const order = mayState ? unwrapRecord(body, 'order') : undefined;
  return isOrder(order) ? order : undefined;
}

function ambiguous(order: Order, error: unknown): Verdict & { readonly state: 'attention' } {
  return { state: 'attention', reason: 'ambiguous', candidates: [order], error };
}

function decideByLookUps(
  lookUps: readonly LookUp[],
  error: unknown,
  otherwise: SaleStep,
): SaleStep {
  for (const lookUp of lookUps) {
    if (lookUp.state === 'failed') return openVerdict(lookUp.error);
    if (lookUp.state === 'ours') {
      return { state: 'placed', order: lookUp.order, found: 'looked_up' };
    }
    if (lookUp.state === 'possible') {
      const { candidates } = lookUp;
      return { state: 'attention', reason: 'ambiguous', candidates, error: lookUp.error ?? error };
    }
  }
  if (lookUps.length >= 2) return otherwise;
  return { state: 'look_up', afterMs: lookUps.length === 0 ? 0 : lookUpPauseMs };
}

/**
 * The service knows the key, or says so of a request that is still at work: the client's own retry after a
 * timeout meets it. `undefined`: the code is about the sale, and no request is in progress.
 */
function decideConflict(
  { lookUps: [lookUp], isAskedAgain }: SaleEvidence,
  { code, error, isFirst }: { readonly code: string; readonly error: unknown; isFirst: boolean },
): SaleStep | undefined {
  const mayBeAtWork = !isFirst && isAskedAgain !== true;
  if (!mayBeAtWork && !aboutTheKey.test(code)) return undefined;
  if (lookUp === undefined) return { state: 'look_up', afterMs: 0 };
  if (lookUp.state === 'ours') return { state: 'placed', order: lookUp.order, found: 'looked_up' };
  if (mayBeAtWork) return { state: 'ask_again', afterMs: askAgainMs };
  if (lookUp.state === 'failed') return openVerdict(error);
  const candidates = lookUp.state === 'possible' ? lookUp.candidates : [];
  return { state: 'attention', reason: 'key_conflict', candidates, error };
}

/** What a request that decided nothing leaves to do. */
export function undecided(error: unknown): Verdict & { readonly state: 'open' } {
  return openVerdict(error);
}

function openVerdict(error: unknown): Verdict & { readonly state: 'open' } {
  const { retryAfterMs, status, code } = readError(error);
  return {
    state: 'open',
    cause: causeOf(status, code),
    error,
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
  };
}

/** A refusal of one sale must not keep the others: only what judges the credential does. */
function causeOf(status: unknown, code: unknown): 'credentials' | 'rate_limited' | 'unknown' {
  const isOfCredential = typeof code === 'string' ? credentialCodes.has(code) : status === 401;
  if (isOfCredential) return 'credentials';
  return status === 429 ? 'rate_limited' : 'unknown';
}

/** Whether an error's code may speak of what was sent, rather than of the request's way or its credential. */
export function isRefusal(status: unknown, code: unknown): boolean {
  if (typeof code !== 'string' || requestCodes.has(code)) return false;
  // A 2xx has a code only where it is known to state errors.
  if (!isClientError(status) && !isSuccess(status)) return false;
  return refusalReasons.has(code) || !requestStatuses.has(status);
}

function isClientError(status: unknown): boolean {
  return typeof status === 'number' && status >= 400 && status < 500;
}

function isSuccess(status: unknown): boolean {
  return typeof status === 'number' && status >= 200 && status < 300;
}

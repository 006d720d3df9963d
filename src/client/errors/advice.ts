/** outcomeSentence and adviceFor: what an error's message says about the work, and what to do next. */

import type { CallOutcome } from './market-error.js';

/** What a sentence about a call needs to know about it. */
export interface AdvisedCall {
  readonly method: string;
  readonly path: string;
  /** Whether the call records a sale, under its idempotency key. */
  readonly placesOrder: boolean;
  /** Whether a repeat does no harm. */
  readonly repeatable: boolean;
  readonly scopes: readonly string[];
  readonly needsAffiliateAccount?: boolean | undefined;
  /** How to find out whether the work was done: `with orders.resumeRefund`. */
  readonly lookUpHint?: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** Whether the caller passed the key, so that an earlier call may have used it. */
  readonly keyFromCaller: boolean;
}

/** Whether this call did its work, and how to find out. */
export function outcomeSentence(
  call: AdvisedCall,
  outcome: CallOutcome,
  code: string | undefined,
): string {
  // The first order under this key may exist: the advice on a conflict says what to do.
  if (code === 'conflict' && call.placesOrder) return '';
  if (outcome === 'not_sent') return `Nothing was sent.${earlierCalls(call, code)}`;
  if (call.method === 'GET' || call.method === 'HEAD') return '';
  if (outcome === 'rejected') {
    if (call.placesOrder) return `This call placed no order.${earlierCalls(call, code)}`;
    return call.lookUpHint === undefined
      ? 'Nothing was done.'
      : `This call changed nothing, but an earlier one may have. Check ${call.lookUpHint}.`;
  }
  if (call.placesOrder) {
    return 'The order may exist. Give the stored sale and its idempotencyKey to orders.resume. Retrying yourself with the same key is safe only until the service forgets it.';
  }
  if (call.repeatable) return 'It may have been processed. Retrying is safe.';
  const how = call.lookUpHint === undefined ? '' : `, ${call.lookUpHint}`;
  return `It may have been processed. Check before you retry${how}.`;
}

/** This call says nothing about earlier calls with the same key: one of them may have placed the order. */
function earlierCalls({ placesOrder, keyFromCaller }: AdvisedCall, code = ''): string {
  if (!placesOrder || !keyFromCaller) return '';
  const placed = 'An earlier call with this idempotencyKey may have placed the order';
  // The advice on the code says so already.
  return orderAdvice.has(code)
    ? ` ${placed}.`
    : ` ${placed}. Give the stored sale to orders.resume.`;
}

/** What the caller must do about the service's code (specification, part 7). */
export function adviceFor(code: string | undefined, call: AdvisedCall): string {
  if (code === 'forbidden') return adviceOnForbidden(call);
  if (code === 'conflict' && call.placesOrder) return adviceOnConflict;
  if (code === undefined) return '';
  if (code === 'not_found') {
    return adviceOnNotFound.find(({ path }) => path.test(call.path))?.advice ?? '';
  }
  return (call.placesOrder ? orderAdvice.get(code) : undefined) ?? advice.get(code) ?? '';
}

function adviceOnForbidden({ scopes, needsAffiliateAccount }: AdvisedCall): string {
  if (scopes.length === 0) return '';
  const named = scopes.map((scope) => `"${scope}"`).join(' or ');
  return needsAffiliateAccount === true
    ? `The credential needs the scope ${named} and a link to an affiliate account. Ask the marketplace for what is missing.`
    : `The credential needs the scope ${named}. Ask the marketplace to enable it.`;
}

const unseen = 'or this credential cannot see it.';
const adviceOnNotFound = [
  { path: /\/orders\/|\/refunds$/, advice: `No such order, ${unseen}` },
  { path: /\/brokerage\/(?!eligibility)/, advice: `No such case, ${unseen}` },
  {
    path: /\/(domains|availability|pricing|quotes|orders|checkout-session|brokerage)\b/,
    advice: 'The domain is not listed.',
  },
];

const adviceOnConflict =
  "The idempotencyKey was used before with a different input. This input was ignored; the first input may have placed an order. Give the first input, with this key, to orders.resume(sale, { requote: 'at_most_paid' }). Do not use a new key.";

// A Map, not an object: a code such as "constructor" must not match a prototype member.
const advice = new Map<string, string>(
  Object.entries({
    validation_error: 'Fix the field that the service names.',
    invalid_signature:
      'Check the secret first; explainSignature prints the six lines that are signed, and a logger gets them at level debug.',
    missing_credentials:
      'The X-Market-Key-Id header did not arrive. Look for a proxy that drops headers.',
    missing_signature_headers:
      'X-Market-* headers did not arrive. Look for a proxy that drops headers.',
    invalid_timestamp:
      "The machine's clock is more than 300 seconds off the service's. Set it. The client corrects itself by the response's Date header, if there is one.",
    replay_detected:
      'The service has seen this nonce, so a copy of the request reached it. Look for a proxy that resends.',
    price_mismatch:
      'Read the price again with domains.getPricing or orders.quote, and ask the buyer before you continue.',
    quote_expired: 'A quote is valid for ten minutes. Ask for a new one with orders.quote.',
    missing_idempotency_key:
      'The Idempotency-Key header did not arrive. Look for a proxy that drops headers.',
  }),
);

/** A paid sale keeps its key: the service replays what it stored under that key, even a refusal. */
const requote =
  "To order at a new quote, never above expected_price, call orders.resume(sale, { requote: 'at_most_paid' }). It derives a new key. A different input with this key returns 409.";

const orderAdvice = new Map<string, string>(
  Object.entries({
    price_mismatch: requote,
    quote_expired: `A quote is valid for ten minutes. ${requote}`,
  }),
);

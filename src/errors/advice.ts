/** The second half of an error's message: whether something was done, and what to do next. */

import type { CallOutcome } from './market-error.js';

/** What a sentence about a call needs to know of it. */
export interface CallInBrief {
  /** The call's name: `orders.create`. */
  readonly name: string;
  readonly method: string;
  /** Whether a repeat does no harm. */
  readonly repeatable: boolean;
  readonly scopes: readonly string[];
  readonly idempotencyKey: string | undefined;
}

/** Whether the work was done, and how to find out. */
export function tellOutcome(
  call: CallInBrief,
  outcome: CallOutcome,
  code: string | undefined,
): string {
  // What an earlier call with the key did is not undone by this refusal, and this input is the wrong one.
  if (code === 'conflict' && call.name === 'orders.create') return '';
  if (outcome === 'not_sent') return 'Nothing was sent.';
  if (call.method === 'GET' || call.method === 'HEAD') return '';
  const order = call.name === 'orders.create';
  if (outcome === 'rejected') return order ? 'No order was placed.' : 'Nothing was done.';
  if (order) {
    return `The order may exist. Repeat the call with the same input and idempotencyKey "${call.idempotencyKey ?? ''}": the service replays the first order and places no second one. Or look for it with orders.list({ domain }).`;
  }
  if (call.repeatable) return 'It may have been done; a repeat does no harm.';
  return `It may have been done: look before you repeat it${lookWith[call.name] ?? ''}.`;
}

const lookWith: Record<string, string> = {
  'orders.refund': ', with orders.get(publicId)',
  'brokerage.openCase': ', with brokerage.listCases()',
};

/** What the service's code asks of the caller (specification, part 7). */
export function adviseOn(code: string | undefined, call: CallInBrief): string {
  if (code === 'forbidden') {
    const scopes = call.scopes.map((scope) => `"${scope}"`).join(' or ');
    return scopes === ''
      ? ''
      : `The credential needs the scope ${scopes}: ask for it to be enabled.`;
  }
  if (code === 'conflict' && call.idempotencyKey === undefined) return '';
  return (code === undefined ? undefined : advice.get(code)) ?? '';
}

const advice = new Map<string, string>(
  Object.entries({
    validation_error: 'Mend the field that the message names.',
    invalid_signature:
      'Check the secret first; explainSignature prints the six lines that are signed, and a logger gets them at level debug.',
    missing_credentials:
      'The X-Market-Key-Id header did not arrive: look for a proxy that drops headers.',
    missing_signature_headers:
      'X-Market-* headers did not arrive: look for a proxy that drops headers.',
    invalid_timestamp:
      "The machine's clock is more than 300 seconds off the service's: set it. For this client it is corrected by the answer's Date, where there is one.",
    replay_detected:
      'The service has seen this nonce: a copy of the request reached it, so look for a proxy that resends.',
    not_found: 'The domain is not listed, or the id is of nothing that this credential can see.',
    conflict:
      'The Idempotency-Key was used before with another input. This input placed nothing, but what was asked for first may have been done: send the first input again, or look with orders.list({ domain }). Do not take a new key before you know.',
    price_mismatch:
      'Read the price again with domains.getPricing or orders.quote, and ask the buyer before you place the order with it.',
    quote_expired: 'A quote holds for ten minutes: take a new one with orders.quote.',
    missing_idempotency_key:
      'The Idempotency-Key header did not arrive: look for a proxy that drops headers.',
  }),
);

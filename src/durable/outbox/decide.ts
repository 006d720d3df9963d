/** `decide`: what follows from a result on a sale. It has no effects; the placer applies it. */

import { answerOf, readError } from '../../core/errors/read-error.js';
import type { Verdict } from '../../client/sale/decide-verdict.js';
import { describeError, factsOf } from '../callbacks.js';
import { attentionMessages } from './attention-message.js';
import type { Attention } from './outbox-types.js';
import type { FinalVerdict } from './stored-verdict.js';

export type Decision =
  /** The sale has ended: store the result and run its callback. */
  | { readonly action: 'store'; readonly verdict: FinalVerdict }
  /** Send nothing more. The sale needs manual review. */
  | { readonly action: 'escalate'; readonly attention: Attention }
  /** Try again no earlier than `leastMs` and no later than `mostMs` from now. */
  | {
      readonly action: 'retry';
      readonly leastMs: number;
      readonly mostMs: number;
      readonly error: string;
    }
  /** The service refuses the credential, so it would refuse every order: send none for `ms`. */
  | { readonly action: 'pauseOutbox'; readonly ms: number; readonly error: string };

/** One minute: long enough not to hammer, short enough for a credential that was just replaced. */
const credentialPauseMs = 60_000;

export function decide(
  verdict: Verdict,
  key: string,
  leftMs: number,
  escalateAfterMs: number,
): Decision {
  switch (verdict.state) {
    case 'placed':
      return { action: 'store', verdict: { state: 'placed', order: verdict.order } };
    case 'refused': {
      const { reason, confirmed, error } = verdict;
      const refusal = { reason, confirmed, message: refusalMessage(key, error) };
      return { action: 'store', verdict: { state: 'refused', refusal } };
    }
    case 'attention': {
      const { reason, candidates } = verdict;
      return escalate(reason, matchMessage(key, verdict), candidates);
    }
    case 'open':
      return decideOpen(verdict, leftMs, (lastError) =>
        escalate('not_placed_in_time', attentionMessages.overdue(key, escalateAfterMs, lastError)),
      );
  }
}

export function decideOpen(
  { cause, error, retryAfterMs = 0 }: Extract<Verdict, { state: 'open' }>,
  leftMs: number,
  overdue: (lastError: string) => Decision,
): Decision {
  const message = reasonOf(error);
  if (leftMs <= 0) return overdue(message);
  if (cause === 'credentials') {
    return { action: 'pauseOutbox', ms: credentialPauseMs, error: message };
  }
  // A Retry-After of a week must not keep the sale from manual review.
  return { action: 'retry', leastMs: retryAfterMs, mostMs: leftMs, error: message };
}

export function escalate(
  reason: Attention['reason'],
  message: string,
  candidates: Attention['candidates'] = [],
): Extract<Decision, { action: 'escalate' }> {
  return { action: 'escalate', attention: { reason, candidates, message } };
}

/** A final message, without the client's advice for a sale that is still open. */
export function refusalMessage(key: string, error: unknown): string {
  return `The service refused the order: ${reasonOf(error)}. No order exists under the key "${key}", and none will be placed. Pay the buyer back.`;
}

function matchMessage(
  key: string,
  { reason, error }: Extract<Verdict, { state: 'attention' }>,
): string {
  const why = error === undefined ? '' : reasonOf(error);
  switch (reason) {
    case 'key_conflict':
      return attentionMessages.keyConflict(key, why);
    case 'price_unit':
      return attentionMessages.priceUnit(key, why);
    case 'ambiguous':
      return attentionMessages.ambiguous(key, why);
  }
}

/** The service's own message, without the client's advice for a caller that retries by itself. */
export function reasonOf(error: unknown): string {
  const answer = typeof readError(error).code === 'string' ? answerOf(error) : undefined;
  if (answer !== undefined) return answer;
  return error instanceof Error ? factsOf(error) : describeError(error);
}

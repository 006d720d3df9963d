/** What is known of the work after an attempt, and after several. */

import type { CallOutcome } from '../errors/market-error.js';
import type { AttemptResult } from './attempt.js';

/** What one failed attempt may have done. */
export function outcomeOf(
  result: Exclude<AttemptResult, { kind: 'success' }>,
  method: string,
): CallOutcome {
  if (result.kind === 'failure') {
    return result.failure.kind === 'not_sent' ? 'not_sent' : 'unknown';
  }
  if (result.kind === 'stranger' || result.status >= 500) return 'unknown';
  // Each nonce is new: one that is known to the service came with a copy of this very request.
  if (result.code === 'replay_detected' && method !== 'GET') return 'unknown';
  return 'rejected';
}

/** A call has the worst of its attempts: what one of them may have done, a later refusal does not undo. */
export function worse(a: CallOutcome, b: CallOutcome): CallOutcome {
  const order: CallOutcome[] = ['not_sent', 'rejected', 'unknown'];
  return order.indexOf(a) > order.indexOf(b) ? a : b;
}

/** What a failed attempt may have done, and what several attempts may have done together. */

import type { CallOutcome } from '../../errors/market-error.js';
import { isTransient } from '../../responses/parse-response.js';
import type { FailedAttempt } from './attempt-result.js';

export function outcomeOfAttempt(result: FailedAttempt, method: string): CallOutcome {
  switch (result.kind) {
    case 'not_sent':
      return 'not_sent';
    case 'timeout':
    case 'aborted':
      return result.sent ? 'unknown' : 'not_sent';
    case 'connection_lost':
    case 'unexpected_response':
      return 'unknown';
    case 'error_response':
      return outcomeOfErrorResponse(result, method);
  }
}

function outcomeOfErrorResponse(
  { status, code }: Extract<FailedAttempt, { kind: 'error_response' }>,
  method: string,
): CallOutcome {
  // Not "from 500 up": a fetch function of the caller's may return NaN.
  if (!(status < 500) || isTransient(status)) return 'unknown';
  return !isRead(method) && code !== undefined && codesOfProxies.has(code) ? 'unknown' : 'rejected';
}

export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * The client never reuses a nonce and always sends its headers. These codes mean that a proxy
 * repeated or changed the request, and the request as it was sent may have arrived too.
 */
const codesOfProxies = new Set([
  'replay_detected',
  'missing_credentials',
  'missing_signature_headers',
  'missing_idempotency_key',
]);

/** Revoked keys have no documented code, so treat every otherwise unexplained 401 as one. */
export function isCredentialRefused(result: FailedAttempt): boolean {
  return (
    result.kind === 'error_response' &&
    result.status === 401 &&
    result.code !== 'invalid_timestamp' &&
    outcomeOfAttempt(result, 'POST') === 'rejected'
  );
}

/** A call has the worst outcome of its attempts: a later refusal undoes none of them. */
export function worstOutcome(a: CallOutcome, b: CallOutcome): CallOutcome {
  const order: CallOutcome[] = ['not_sent', 'rejected', 'unknown'];
  return order.indexOf(a) > order.indexOf(b) ? a : b;
}

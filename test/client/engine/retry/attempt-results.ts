/** Attempt results for the tables of the retry decision and the outcome. */

import type {
  ErrorResponse,
  FailedAttempt,
} from '../../../../src/client/engine/retry/attempt-result.js';
import { TransportError, type FailureKind } from '../../../../src/client/transport/transport.js';

const response = { headers: {}, requestId: undefined, body: undefined };

export function errorResponse(
  status: number,
  code?: string,
  { retryAfterMs, serverDateMs = 0 }: { retryAfterMs?: number; serverDateMs?: number | null } = {},
): ErrorResponse {
  return {
    kind: 'error_response',
    ...response,
    status,
    code,
    message: undefined,
    rateLimited: status === 429 || code === 'rate_limited',
    retryAfterMs,
    serverDateMs: serverDateMs ?? undefined,
  };
}

export function unexpectedResponse(status: number): FailedAttempt {
  return { kind: 'unexpected_response', ...response, status, what: 'HTML' };
}

export function transportError(kind: FailureKind, retryable = true): TransportError {
  return new TransportError(kind, { cause: undefined, retryable });
}

export const notSent = (retryable = true): FailedAttempt => ({
  kind: 'not_sent',
  error: transportError('not_sent', retryable),
});

export const connectionLost = (kind: FailureKind = 'connection_lost'): FailedAttempt => ({
  kind: 'connection_lost',
  error: transportError(kind, kind === 'connection_lost'),
});

export const timedOut = (limit: 'attempt' | 'deadline', sent: boolean): FailedAttempt => ({
  kind: 'timeout',
  limit,
  sent,
  queued: false,
  error: transportError(sent ? 'connection_lost' : 'not_sent', false),
});

export const aborted = (sent: boolean): FailedAttempt => ({
  kind: 'aborted',
  sent,
  error: transportError(sent ? 'connection_lost' : 'not_sent', false),
});

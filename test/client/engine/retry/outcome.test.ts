import { describe, expect, it } from 'vitest';
import type { CallOutcome } from 'market-partner-sdk';
import {
  isCredentialRefused,
  outcomeOfAttempt,
  worstOutcome,
} from '../../../../src/client/engine/retry/outcome.js';
import type { FailureKind } from '../../../../src/client/transport/transport.js';
import {
  aborted,
  connectionLost,
  errorResponse,
  notSent,
  timedOut,
  unexpectedResponse,
} from './attempt-results.js';

describe('what one attempt may have done', () => {
  it.each<[FailureKind, CallOutcome]>([
    ['connection_lost', 'unknown'],
    ['too_large', 'unknown'],
    ['unknown', 'unknown'],
  ])('a failure of the wire that is %s: %s', (kind, expected) => {
    expect(outcomeOfAttempt(connectionLost(kind), 'POST')).toBe(expected);
  });

  it.each<[number, string | undefined, CallOutcome]>([
    [400, 'validation_error', 'rejected'],
    [401, 'invalid_signature', 'rejected'],
    [401, 'invalid_timestamp', 'rejected'],
    [403, 'forbidden', 'rejected'],
    [404, undefined, 'rejected'],
    [409, 'conflict', 'rejected'],
    [422, 'price_mismatch', 'rejected'],
    [429, 'rate_limited', 'rejected'],
    [499, undefined, 'rejected'],
    [500, 'internal_error', 'unknown'],
    [502, undefined, 'unknown'],
    [503, 'rate_limited', 'unknown'],
    // A fetch function of the caller's may return any number.
    [Number.NaN, undefined, 'unknown'],
  ])('an answer %i %s: %s', (status, code, expected) => {
    expect(outcomeOfAttempt(errorResponse(status, code), 'POST')).toBe(expected);
  });

  it('a nonce that was seen is a copy of this very request, which may have been worked on', () => {
    expect(outcomeOfAttempt(errorResponse(401, 'replay_detected'), 'POST')).toBe('unknown');
    expect(outcomeOfAttempt(errorResponse(401, 'replay_detected'), 'PUT')).toBe('unknown');
    expect(outcomeOfAttempt(errorResponse(401, 'replay_detected'), 'GET')).toBe('rejected');
    expect(outcomeOfAttempt(errorResponse(401, 'replay_detected'), 'HEAD')).toBe('rejected');
  });

  it.each(['missing_credentials', 'missing_signature_headers', 'missing_idempotency_key'])(
    '%s means that a proxy changed the request: the one that was sent may have arrived',
    (code) => {
      expect(outcomeOfAttempt(errorResponse(400, code), 'POST')).toBe('unknown');
      expect(outcomeOfAttempt(errorResponse(400, code), 'GET')).toBe('rejected');
    },
  );

  it.each([200, 302])('an unexpected response of status %i says nothing', (status) => {
    expect(outcomeOfAttempt(unexpectedResponse(status), 'POST')).toBe('unknown');
  });

  it('a request that never left did nothing, whatever ended it', () => {
    for (const result of [notSent(), timedOut('attempt', false), aborted(false)]) {
      expect(outcomeOfAttempt(result, 'POST')).toBe('not_sent');
    }
    for (const result of [timedOut('deadline', true), aborted(true)]) {
      expect(outcomeOfAttempt(result, 'POST')).toBe('unknown');
    }
  });
});

describe('what several attempts may have done', () => {
  const order: CallOutcome[] = ['not_sent', 'rejected', 'unknown'];
  it.each(order.flatMap((a) => order.map((b) => [a, b] as const)))('%s and %s', (a, b) => {
    expect(worstOutcome(a, b)).toBe(order[Math.max(order.indexOf(a), order.indexOf(b))]);
  });
});

describe('a refused credential', () => {
  it.each<[number, string | undefined, boolean]>([
    [401, 'invalid_signature', true],
    [401, 'key_revoked', true],
    [401, undefined, true],
    [401, 'invalid_timestamp', false],
    [401, 'replay_detected', false],
    [401, 'missing_credentials', false],
    [403, 'forbidden', false],
    [402, 'invalid_signature', false],
  ])('%i %s: %s', (status, code, expected) => {
    expect(isCredentialRefused(errorResponse(status, code))).toBe(expected);
  });

  it('is no response of another kind', () => {
    for (const result of [unexpectedResponse(401), notSent(), connectionLost(), aborted(true)]) {
      expect(isCredentialRefused(result)).toBe(false);
    }
  });
});

import { describe, expect, it } from 'vitest';
import type { CallOutcome } from 'market-partner-sdk';
import { outcomeOf, worse } from '../../src/engine/outcome.js';
import { WireFailure, type FailureKind } from '../../src/transport/transport.js';

const facts = { headers: {}, requestId: undefined, body: undefined };
const refusal = (status: number, code?: string) =>
  ({ kind: 'refusal', status, code, message: undefined, ...facts }) as const;
const failure = (kind: FailureKind) =>
  ({
    kind: 'failure',
    failure: new WireFailure(kind, { cause: undefined, retriable: true }),
    cut: undefined,
  }) as const;

describe('what one attempt may have done', () => {
  it.each<[FailureKind, CallOutcome]>([
    ['not_sent', 'not_sent'],
    ['broken', 'unknown'],
    ['too_large', 'unknown'],
    ['unknown', 'unknown'],
  ])('a failure of the wire that is %s: %s', (kind, expected) => {
    expect(outcomeOf(failure(kind), 'POST')).toBe(expected);
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
  ])('an answer %i %s: %s', (status, code, expected) => {
    expect(outcomeOf(refusal(status, code), 'POST')).toBe(expected);
  });

  it('a nonce that was seen is a copy of this very request, which may have been worked on', () => {
    expect(outcomeOf(refusal(401, 'replay_detected'), 'POST')).toBe('unknown');
    expect(outcomeOf(refusal(401, 'replay_detected'), 'PUT')).toBe('unknown');
    expect(outcomeOf(refusal(401, 'replay_detected'), 'GET')).toBe('rejected');
  });

  it.each([200, 302])('a stranger’s answer of status %i tells nothing', (status) => {
    const stranger = { kind: 'stranger', status, what: 'HTML', ...facts } as const;
    expect(outcomeOf(stranger, 'POST')).toBe('unknown');
  });
});

describe('what several attempts may have done', () => {
  const order: CallOutcome[] = ['not_sent', 'rejected', 'unknown'];
  it.each(order.flatMap((a) => order.map((b) => [a, b] as const)))('%s and %s', (a, b) => {
    expect(worse(a, b)).toBe(order[Math.max(order.indexOf(a), order.indexOf(b))]);
  });
});

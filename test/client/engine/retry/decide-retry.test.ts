import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideRetry,
  type Decision,
  type RetryState,
} from '../../../../src/client/engine/retry/decide-retry.js';
import { backoffMs } from '../../../../src/client/engine/retry/backoff.js';
import type { FailedAttempt } from '../../../../src/client/engine/retry/attempt-result.js';
import { endpoints } from '../../../../src/client/endpoints.js';
import {
  aborted,
  connectionLost,
  errorResponse,
  notSent,
  timedOut,
  unexpectedResponse,
} from './attempt-results.js';

const columns = {
  safe: endpoints.orders.get,
  'keyed order': endpoints.orders.create,
  'harmless POST': endpoints.orders.quote,
  'harmful POST': endpoints.orders.refund,
};
type Column = keyof typeof columns;
const everyColumn = Object.keys(columns) as Column[];

const backoff = 120;
const progressOf = (column: Column): RetryState => ({
  repeatable: columns[column].repeatable,
  failures: 1,
  maxRetries: 2,
  clockCorrected: false,
  nonceReplaced: false,
  hasUntriedCredential: false,
  remainingMs: 60_000,
  leastMs: 0,
  backoffMs: backoff,
  budgetAllows: true,
  maxRateLimitHoldMs: 900_000,
});

const now = (reason: 'clock' | 'nonce' | 'credential') =>
  ({ retry: true, delayMs: 0, reason, cost: 'nothing' }) as const;
const after = (delayMs: number, reason: Extract<Decision, { retry: true }>['reason']) =>
  ({ retry: true, delayMs, reason, cost: 'budget' }) as const;
/** A wait that the service asked for. */
const paced = (delayMs: number) =>
  ({ retry: true, delayMs, reason: 'rate_limited', cost: 'paced' }) as const;
const no = (reason: Extract<Decision, { retry: false }>['reason'] = 'not_retryable') =>
  ({ retry: false, reason }) as const;

type Row = [what: string, result: FailedAttempt, expected: Decision[]];
const all = (it: Decision): Row[2] => [it, it, it, it];
const butHarmful = (it: Decision): Row[2] => [it, it, it, no('not_repeatable')];
const wait = all(after(backoff, 'rate_limited'));
const unsent = all(after(backoff, 'not_sent'));
const lost = butHarmful(after(backoff, 'connection_lost'));
const failed = butHarmful(after(backoff, 'server_error'));
const never = all(no());

/** The rows of design: what happened; safe, keyed order, harmless POST, harmful POST. */
const table: Row[] = [
  ['never sent', notSent(), unsent],
  ['never sent, for good', notSent(false), never],
  ['429', errorResponse(429, 'rate_limited'), wait],
  ['429 without a code', errorResponse(429), wait],
  ['rate_limited of another status', errorResponse(400, 'rate_limited'), wait],
  [
    '429 with Retry-After',
    errorResponse(429, 'rate_limited', { retryAfterMs: 3_000 }),
    all(paced(3_000)),
  ],
  ['500 internal_error', errorResponse(500, 'internal_error'), failed],
  ['500 of another code', errorResponse(500, 'oops'), failed],
  ['502 internal_error', errorResponse(502, 'internal_error'), failed],
  ...[408, 425, 500, 502, 503, 504, 507, 524].map((status): Row => [
    `${status}`,
    errorResponse(status),
    failed,
  ]),
  [
    '503 with Retry-After',
    errorResponse(503, undefined, { retryAfterMs: 2_000 }),
    butHarmful({ ...after(2_000 + backoff, 'server_error'), cost: 'nothing' }),
  ],
  ['501', errorResponse(501), never],
  ['505', errorResponse(505), never],
  ['reset or broken body', connectionLost(), lost],
  ['timeout after sending', timedOut('attempt', true), lost],
  ['timeout before sending', timedOut('attempt', false), unsent],
  ['timeout of the deadline', timedOut('deadline', true), never],
  ['timeout of the deadline before sending', timedOut('deadline', false), never],
  ['invalid_timestamp', errorResponse(401, 'invalid_timestamp'), all(now('clock'))],
  ['invalid_timestamp of status 400', errorResponse(400, 'invalid_timestamp'), all(now('clock'))],
  [
    'invalid_timestamp without a usable Date',
    errorResponse(401, 'invalid_timestamp', { serverDateMs: null }),
    never,
  ],
  ['replay_detected', errorResponse(401, 'replay_detected'), butHarmful(now('nonce'))],
  ['replay_detected of 409', errorResponse(409, 'replay_detected'), butHarmful(now('nonce'))],
  ...(
    [
      [400, 'validation_error'],
      [400, 'missing_idempotency_key'],
      [401, 'invalid_signature'],
      [401, 'missing_credentials'],
      [401, 'missing_signature_headers'],
      [403, 'forbidden'],
      [404, 'not_found'],
      [409, 'conflict'],
      [422, 'price_mismatch'],
      [422, 'quote_expired'],
      [600, undefined],
      [418, 'a_code_of_tomorrow'],
    ] as const
  ).map(([status, code]): Row => [`${status} ${code}`, errorResponse(status, code), never]),
  ['abort', aborted(true), never],
  ['abort before sending', aborted(false), never],
  ['unexpected response', unexpectedResponse(200), never],
  ['error of no network', connectionLost('unknown'), never],
  ['response that is too large', connectionLost('too_large'), never],
];

const cells = table.flatMap(([what, result, expected]) =>
  everyColumn.map((column, index) => ({ what, column, result, expected: expected[index]! })),
);
const isFree = (decision: Decision) => decision.retry && decision.cost !== 'budget';
const isAskedWait = (decision: Decision) =>
  isFree(decision) && 'delayMs' in decision && decision.delayMs > 0;

describe('the retry table', () => {
  it.each(cells)('$what, $column', ({ result, column, expected }) => {
    expect(decideRetry(result, progressOf(column))).toEqual(expected);
  });

  const retried = cells.filter(({ expected }) => expected.retry);
  const refused = cells.filter(({ expected }) => !expected.retry);

  it.each(retried)(
    '$what, $column: not once the attempts are used up, unless the service asked for the wait',
    (cell) => {
      const progress = progressOf(cell.column);
      expect(decideRetry(cell.result, { ...progress, failures: 2 })).toEqual(cell.expected);
      for (const failures of [3, 4]) {
        expect(decideRetry(cell.result, { ...progress, failures })).toEqual(
          isAskedWait(cell.expected) ? cell.expected : no('no_retries_left'),
        );
      }
    },
  );

  it.each(retried)('$what, $column: never with maxRetries 0', ({ result, column }) => {
    const progress = { ...progressOf(column), maxRetries: 0 };
    expect(decideRetry(result, progress)).toEqual(no('no_retries_left'));
  });

  it.each(retried)('$what, $column: not without budget, unless it costs nothing', (cell) => {
    const progress = { ...progressOf(cell.column), budgetAllows: false };
    const { result, expected } = cell;
    expect(decideRetry(result, progress)).toEqual(isFree(expected) ? expected : no('no_budget'));
  });

  it.each(retried)('$what, $column: not without time for the wait', (cell) => {
    const delayMs = (cell.expected as { delayMs: number }).delayMs;
    const at = (remainingMs: number) =>
      decideRetry(cell.result, { ...progressOf(cell.column), remainingMs });
    expect(at(delayMs + 1)).toEqual(cell.expected);
    expect(at(delayMs)).toEqual(no('no_time'));
    expect(at(-1)).toEqual(no('no_time'));
  });

  it.each(refused)('$what, $column: not retried whatever is left', (cell) => {
    const { result, column, expected } = cell;
    const spent = { failures: 9, maxRetries: 0, budgetAllows: false, remainingMs: 0 };
    expect(decideRetry(result, { ...progressOf(column), ...spent })).toEqual(expected);
  });
});

describe('a refused signature', () => {
  it.each(everyColumn)('is tried once more with another credential: %s', (column) => {
    const progress = progressOf(column);
    const refused = errorResponse(401, 'invalid_signature');
    expect(decideRetry(refused, progress)).toEqual(no());
    expect(decideRetry(refused, { ...progress, hasUntriedCredential: true })).toEqual(
      now('credential'),
    );
  });
});

describe('the two corrections', () => {
  it.each(everyColumn)('the clock is corrected once in a call: %s', (column) => {
    const progress = { ...progressOf(column), clockCorrected: true, failures: 2 };
    expect(decideRetry(errorResponse(401, 'invalid_timestamp'), progress)).toEqual(no());
  });

  it.each(everyColumn)('the nonce is replaced once in a call: %s', (column) => {
    const progress = { ...progressOf(column), nonceReplaced: true, failures: 2 };
    const expected = columns[column].repeatable ? no() : no('not_repeatable');
    expect(decideRetry(errorResponse(401, 'replay_detected'), progress)).toEqual(expected);
  });

  it('do not count against each other', () => {
    const progress = { ...progressOf('safe'), failures: 2 };
    expect(
      decideRetry(errorResponse(401, 'replay_detected'), { ...progress, clockCorrected: true }),
    ).toEqual(now('nonce'));
    expect(
      decideRetry(errorResponse(401, 'invalid_timestamp'), { ...progress, nonceReplaced: true }),
    ).toEqual(now('clock'));
  });
});

describe('a Retry-After beyond the longest hold', () => {
  it('is waited for no longer than that: then the call probes', () => {
    const result = errorResponse(429, 'rate_limited', { retryAfterMs: 86_400_000 });
    const state = { ...progressOf('safe'), remainingMs: 3_600_000 };
    expect(decideRetry(result, state)).toEqual(paced(900_000));
    expect(decideRetry(result, progressOf('safe'))).toEqual(no('no_time'));
  });
});

describe('a Retry-After of 0', () => {
  it('says no time: the call backs off, and it counts', () => {
    const result = errorResponse(429, 'rate_limited', { retryAfterMs: 0 });
    expect(decideRetry(result, progressOf('safe'))).toEqual(after(backoff, 'rate_limited'));
  });
});

describe('a write', () => {
  it('is not sent again with less time than it needs', () => {
    const state = { ...progressOf('keyed order'), leastMs: 30_000 };
    const at = (remainingMs: number) => decideRetry(notSent(), { ...state, remainingMs });
    expect(at(30_000 + backoff)).toEqual(after(backoff, 'not_sent'));
    expect(at(29_999 + backoff)).toEqual(no('no_time'));
  });
});

describe('the back-off', () => {
  it.each([
    [1, 500],
    [2, 1_000],
    [3, 2_000],
    [4, 4_000],
    [5, 8_000],
    [6, 8_000],
    [101, 8_000],
    [5_000, 8_000],
  ])('before attempt %i + 1 is below %i ms', (attempts, boundMs) => {
    expect(backoffMs(attempts, () => 0)).toBe(0);
    expect(backoffMs(attempts, () => 0.5)).toBe(boundMs / 2);
    expect(backoffMs(attempts, () => 1 - Number.EPSILON)).toBe(boundMs - 1);
  });

  it('is a whole number within its bounds for any attempt and chance', () => {
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), chance, (attempts, random) => {
        const ms = backoffMs(attempts, () => random);
        expect(Number.isInteger(ms)).toBe(true);
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThan(Math.min(8_000, 500 * 2 ** (attempts - 1)));
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  backoffMs,
  decideRetry,
  type Decision,
  type Happening,
  type Progress,
} from '../../src/engine/retry.js';
import { endpoints } from '../../src/endpoints.js';

const answer = (
  status: number,
  code?: string,
  more: { retryAfterMs?: number; dateUsable?: boolean } = {},
): Happening => ({
  kind: 'answer',
  status,
  code,
  retryAfterMs: more.retryAfterMs,
  dateUsable: more.dateUsable ?? true,
});

const columns = {
  safe: endpoints.orders.get,
  'keyed order': endpoints.orders.create,
  'harmless POST': endpoints.orders.quote,
  'harmful POST': endpoints.orders.refund,
};
type Column = keyof typeof columns;
const everyColumn = Object.keys(columns) as Column[];

const backoff = 120;
const progressOf = (column: Column): Progress => ({
  repeatable: columns[column].repeatable,
  attempts: 1,
  maxRetries: 2,
  clockCorrected: false,
  nonceReplaced: false,
  remainingMs: 60_000,
  backoffMs: backoff,
  budgetAllows: true,
});

const now = (reason: 'clock' | 'nonce') => ({ retry: true, delayMs: 0, reason }) as const;
const after = (delayMs: number, reason: Extract<Decision, { retry: true }>['reason']) =>
  ({ retry: true, delayMs, reason }) as const;
const no = (because: Extract<Decision, { retry: false }>['because'] = 'final') =>
  ({ retry: false, because }) as const;

type Row = [what: string, happening: Happening, expected: [Decision, Decision, Decision, Decision]];
const all = (decision: Decision): Row[2] => [decision, decision, decision, decision];
const butHarmful = (decision: Decision): Row[2] => [
  decision,
  decision,
  decision,
  no('not_repeatable'),
];

/** The rows of design: what happened; safe, keyed order, harmless POST, harmful POST. */
const table: Row[] = [
  ['never sent', { kind: 'not_sent', retriable: true }, all(after(backoff, 'not_sent'))],
  ['never sent, for good', { kind: 'not_sent', retriable: false }, all(no())],
  ['429', answer(429, 'rate_limited'), all(after(backoff, 'rate_limited'))],
  ['429 without a code', answer(429), all(after(backoff, 'rate_limited'))],
  [
    'rate_limited of another status',
    answer(400, 'rate_limited'),
    all(after(backoff, 'rate_limited')),
  ],
  [
    '429 with Retry-After',
    answer(429, 'rate_limited', { retryAfterMs: 3_000 }),
    all(after(3_000 + backoff, 'rate_limited')),
  ],
  ['500 internal_error', answer(500, 'internal_error'), all(after(backoff, 'server_error'))],
  ['500 without a code', answer(500), butHarmful(after(backoff, 'server_error'))],
  ['500 of another code', answer(500, 'oops'), butHarmful(after(backoff, 'server_error'))],
  ['502', answer(502), butHarmful(after(backoff, 'server_error'))],
  ['502 internal_error', answer(502, 'internal_error'), butHarmful(after(backoff, 'server_error'))],
  ['503', answer(503), butHarmful(after(backoff, 'server_error'))],
  [
    '503 with Retry-After',
    answer(503, undefined, { retryAfterMs: 2_000 }),
    butHarmful(after(2_000 + backoff, 'server_error')),
  ],
  ['504', answer(504), butHarmful(after(backoff, 'server_error'))],
  ['501', answer(501), all(no())],
  ['505', answer(505), all(no())],
  ['reset, timeout or broken body', { kind: 'broken' }, butHarmful(after(backoff, 'broken'))],
  ['invalid_timestamp', answer(401, 'invalid_timestamp'), all(now('clock'))],
  ['invalid_timestamp of status 400', answer(400, 'invalid_timestamp'), all(now('clock'))],
  [
    'invalid_timestamp without a usable Date',
    answer(401, 'invalid_timestamp', { dateUsable: false }),
    all(no()),
  ],
  ['replay_detected', answer(401, 'replay_detected'), butHarmful(now('nonce'))],
  ['replay_detected of status 409', answer(409, 'replay_detected'), butHarmful(now('nonce'))],
  ...[
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
    [408, undefined],
    [418, 'a_code_of_tomorrow'],
  ].map(([status, code]): Row => [
    `${String(status)} ${String(code)}`,
    answer(status as number, code as string | undefined),
    all(no()),
  ]),
  ['an abort, a stranger’s answer, an unknown error', { kind: 'final' }, all(no())],
];

const cells = table.flatMap(([what, happening, expected]) =>
  everyColumn.map((column, index) => ({ what, column, happening, expected: expected[index]! })),
);
const isCorrection = (decision: Decision) =>
  decision.retry && (decision.reason === 'clock' || decision.reason === 'nonce');

describe('the columns', () => {
  it('are four kinds of calls', () => {
    expect(everyColumn.map((column) => columns[column].repeatable)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

describe('the retry table', () => {
  it.each(cells)('$what, $column', ({ happening, column, expected }) => {
    expect(decideRetry(happening, progressOf(column))).toEqual(expected);
  });

  const retried = cells.filter(({ expected }) => expected.retry);
  const refused = cells.filter(({ expected }) => !expected.retry);

  it.each(retried)('$what, $column: not once the attempts are used up', (cell) => {
    const progress = progressOf(cell.column);
    expect(decideRetry(cell.happening, { ...progress, attempts: 2 })).toEqual(cell.expected);
    for (const attempts of [3, 4]) {
      expect(decideRetry(cell.happening, { ...progress, attempts })).toEqual(no('no_retries_left'));
    }
  });

  it.each(retried)('$what, $column: never with maxRetries 0', ({ happening, column }) => {
    const progress = { ...progressOf(column), maxRetries: 0 };
    expect(decideRetry(happening, progress)).toEqual(no('no_retries_left'));
  });

  it.each(retried)('$what, $column: not without budget, unless it is a correction', (cell) => {
    const progress = { ...progressOf(cell.column), budgetAllows: false };
    const { happening, expected } = cell;
    expect(decideRetry(happening, progress)).toEqual(
      isCorrection(expected) ? expected : no('no_budget'),
    );
  });

  it.each(retried)('$what, $column: not without time for the wait', (cell) => {
    const delayMs = (cell.expected as { delayMs: number }).delayMs;
    const at = (remainingMs: number) =>
      decideRetry(cell.happening, { ...progressOf(cell.column), remainingMs });
    expect(at(delayMs + 1)).toEqual(cell.expected);
    expect(at(delayMs)).toEqual(no('no_time'));
    expect(at(-1)).toEqual(no('no_time'));
  });

  it.each(refused)('$what, $column: not retried whatever is left', (cell) => {
    const { happening, column, expected } = cell;
    const spent = { attempts: 9, maxRetries: 0, budgetAllows: false, remainingMs: 0 };
    expect(decideRetry(happening, { ...progressOf(column), ...spent })).toEqual(expected);
  });
});

describe('the two corrections', () => {
  it.each(everyColumn)('the clock is corrected once in a call: %s', (column) => {
    const progress = { ...progressOf(column), clockCorrected: true, attempts: 2 };
    expect(decideRetry(answer(401, 'invalid_timestamp'), progress)).toEqual(no());
  });

  it.each(everyColumn)('the nonce is replaced once in a call: %s', (column) => {
    const progress = { ...progressOf(column), nonceReplaced: true, attempts: 2 };
    const expected = columns[column].repeatable ? no() : no('not_repeatable');
    expect(decideRetry(answer(401, 'replay_detected'), progress)).toEqual(expected);
  });

  it('do not count against each other', () => {
    const progress = { ...progressOf('safe'), attempts: 2 };
    expect(
      decideRetry(answer(401, 'replay_detected'), { ...progress, clockCorrected: true }),
    ).toEqual(now('nonce'));
    expect(
      decideRetry(answer(401, 'invalid_timestamp'), { ...progress, nonceReplaced: true }),
    ).toEqual(now('clock'));
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

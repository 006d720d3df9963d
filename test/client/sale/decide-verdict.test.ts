import { describe, expect, it } from 'vitest';
import type { Order } from 'market-partner-sdk';
import {
  decideVerdict as decide,
  type AttemptResult,
  type SaleEvidence,
  type SaleStep,
} from '../../../src/client/sale/decide-verdict.js';
import { lookUpPauseMs } from '../../../src/client/assumptions.js';
import type { LookUp } from '../../../src/client/sale/match-orders.js';

const sent = {
  domain: 'brew.example',
  expected_price: 250_000,
  currency: 'USD',
  external_payment_ref: 'payment-1001',
};
const decideVerdict = (evidence: Omit<SaleEvidence, 'sent'>) => decide({ sent, ...evidence });
const order = { public_id: 'ord_1', domain: 'brew.example' } as Order;
const ours: LookUp = { state: 'ours', order };
const possible: LookUp = { state: 'possible', candidates: [order] };
const none: LookUp = { state: 'none' };
const failed: LookUp = { state: 'failed', error: { response: { status: 503 }, retryAfterMs: 5 } };

const placed: AttemptResult = { order };
const refusal = (
  status: number,
  code: string | undefined,
  outcome = 'rejected',
): AttemptResult => ({
  error: { response: { status }, ...(code === undefined ? {} : { code }), outcome },
});
const success = (fields: object): AttemptResult => ({ order: { ...order, ...fields } });
/** An UnexpectedResponseError of `orders.create`. */
const refusedSuccess = (body: object): AttemptResult => ({
  error: { response: { status: 200 }, outcome: 'unknown', body },
});
const refusedWith = (status: number, body: object, code = 'not_found'): AttemptResult => ({
  error: { response: { status }, code, outcome: 'rejected', body },
});
const mismatch = refusal(422, 'price_mismatch');

/** A step in a word, as the table writes it. */
function brief(step: SaleStep): string {
  switch (step.state) {
    case 'placed':
      return `placed ${step.found}`;
    case 'refused':
      return `refused ${step.reason} ${step.confirmed}`;
    case 'open':
      return `open ${step.cause}`;
    case 'attention':
      return `attention ${step.reason} ${step.candidates.length}`;
    case 'look_up':
    case 'ask_again':
      return `${step.state} ${step.afterMs}`;
    case 'send':
      return 'send';
  }
}

type Row = [
  what: string,
  attempt: AttemptResult | undefined,
  known: '' | 'old' | 'sent' | 'sent, old' | 'sent, again',
  lookUps: readonly LookUp[],
  expected: string,
];

const again = `look_up ${lookUpPauseMs}`;

// One row a line, however long: it is a table.
// prettier-ignore
const rows: readonly Row[] = [
  // Before this attempt.
  ['a new sale', undefined, '', [], 'send'],
  ['an old sale that was never sent', undefined, 'old', [], 'send'],
  ['a repeat under a young key', undefined, 'sent', [], 'send'],
  ['a repeat under an old key', undefined, 'sent, old', [], 'look_up 0'],
  ['an old key, seen none once', undefined, 'sent, old', [none], again],
  ['an old key, seen none twice', undefined, 'sent, old', [none, none], 'send'],
  ['an old key, ours at once', undefined, 'sent, old', [ours], 'placed looked_up'],
  ['an old key, ours later', undefined, 'sent, old', [none, ours], 'placed looked_up'],
  ['an old key, perhaps ours', undefined, 'sent, old', [possible], 'attention ambiguous 1'],
  ['an old key, list down', undefined, 'sent, old', [failed], 'open unknown'],
  ['an old key, list down later', undefined, 'sent, old', [none, failed], 'open unknown'],

  // Success.
  ['a first success', placed, '', [], 'placed replayed'],
  ['a later success', placed, 'sent, old', [], 'placed replayed'],
  ['a 2xx without an order', { order: { status: 'ok' } }, '', [], 'look_up 0'],
  ['a 2xx without an order, none twice', { order: {} }, '', [none, none], 'open unknown'],
  ['a 2xx without an order, ours', { order: {} }, '', [none, ours], 'placed looked_up'],
  ['a 2xx of null', { order: null }, '', [], 'look_up 0'],
  ['a 2xx with a blank id', { order: { public_id: '' } }, '', [], 'look_up 0'],
  ['a 2xx with another id', { order: { id: 'ord_1' } }, '', [], 'look_up 0'],

  // A success that contradicts what was sent.
  ['another domain', success({ domain: 'tea.example' }), '', [], 'attention ambiguous 1'],
  ['the domain in upper case', success({ domain: 'BREW.example.' }), '', [], 'placed replayed'],
  ['another payment', success({ external_payment_ref: 'pay-2' }), '', [], 'attention ambiguous 1'],
  ['the payment cut off', success({ external_payment_ref: 'PAYMENT-1' }), '', [], 'placed replayed'],
  ['another currency', success({ currency: 'JPY' }), '', [], 'attention ambiguous 1'],
  ['the currency in lower case', success({ currency: 'usd' }), '', [], 'placed replayed'],
  ['a price of 1', success({ sale_price_cents: 1 }), '', [], 'attention ambiguous 1'],
  ['a higher price', success({ sale_price_cents: 250_001 }), '', [], 'attention ambiguous 1'],
  ['the price that was sent', success({ sale_price_cents: 250_000 }), '', [], 'placed replayed'],
  ['a 2xx that create refused', refusedSuccess({ order }), '', [], 'attention ambiguous 1'],
  ['a 404 with an order', refusedWith(404, { order }), '', [], 'attention ambiguous 1'],
  ['a 422 with an order', refusedWith(422, order), '', [], 'attention ambiguous 1'],
  ['a 400 with an order', refusedWith(400, { data: { order } }), '', [], 'attention ambiguous 1'],
  ['a 422 without an order', refusedWith(422, { order: {} }), '', [], 'refused not_listed first_attempt'],
  ['a 409 with an order', refusedWith(409, { order }, 'conflict'), '', [ours], 'placed looked_up'],
  ['a 409 not_found with an order', refusedWith(409, { order }), '', [], 'attention ambiguous 1'],
  ['a 503 with an order', refusedWith(503, { order }), '', [], 'open unknown'],
  ['a 2xx that holds no order', refusedSuccess({ status: 'ok' }), '', [], 'look_up 0'],
  ['a 2xx without a body, ours', refusedSuccess({}), '', [ours], 'placed looked_up'],
  ['a 2xx without a body, none twice', refusedSuccess({}), '', [none, none], 'open unknown'],
  ['a 500 that holds an order', { error: { response: { status: 500 }, body: order } }, '', [], 'open unknown'],
  ['a 300 that holds an order', { error: { response: { status: 300 }, body: order } }, '', [], 'open unknown'],
  ['a 199 that holds an order', { error: { response: { status: 199 }, body: order } }, '', [], 'open unknown'],

  // Refusals of a first attempt.
  ['first 422 price_mismatch', mismatch, '', [], 'refused price_mismatch first_attempt'],
  ['first 422 quote_expired', refusal(422, 'quote_expired'), '', [], 'refused quote_expired first_attempt'],
  ['first 404 not_found', refusal(404, 'not_found'), '', [], 'refused not_listed first_attempt'],
  ['first 400 validation_error', refusal(400, 'validation_error'), '', [], 'refused invalid first_attempt'],
  ['first 422, an unknown code', refusal(422, 'reserved'), '', [], 'look_up 0'],
  ['first 422, an unknown code, none twice', refusal(422, 'reserved'), '', [none, none], 'refused other looked_up'],
  ['first call, an attempt of it unknown', refusal(422, 'price_mismatch', 'unknown'), '', [], 'look_up 0'],

  // Refusals after something may have been sent.
  ['later 422', mismatch, 'sent', [], 'look_up 0'],
  ['later 422, none once', mismatch, 'sent', [none], again],
  ['later 422, none twice', mismatch, 'sent', [none, none], 'refused price_mismatch looked_up'],
  ['later 404, none twice', refusal(404, 'not_found'), 'sent', [none, none], 'refused not_listed looked_up'],
  ['later 422, ours', mismatch, 'sent', [ours], 'placed looked_up'],
  ['later 422, ours at the second look', mismatch, 'sent', [none, ours], 'placed looked_up'],
  ['later 422, perhaps ours', mismatch, 'sent', [possible], 'attention ambiguous 1'],
  ['later 422, list down', mismatch, 'sent', [failed], 'open unknown'],
  ['later 422, list down at the second look', mismatch, 'sent', [none, failed], 'open unknown'],

  // A documented code wins over the status.
  ['409 price_mismatch', refusal(409, 'price_mismatch'), '', [], 'refused price_mismatch first_attempt'],
  ['403 price_mismatch', refusal(403, 'price_mismatch'), '', [], 'refused price_mismatch first_attempt'],
  ['401 not_found', refusal(401, 'not_found'), '', [], 'refused not_listed first_attempt'],
  ['later 409 price_mismatch', refusal(409, 'price_mismatch'), 'sent', [], 'look_up 0'],
  ['200 price_mismatch', refusal(200, 'price_mismatch'), '', [], 'refused price_mismatch first_attempt'],
  ['503 price_mismatch', refusal(503, 'price_mismatch', 'unknown'), '', [], 'open unknown'],
  ['400 forbidden', refusal(400, 'forbidden'), '', [], 'open credentials'],
  ['409 forbidden', refusal(409, 'forbidden'), '', [], 'open credentials'],

  // A code of the service's own is a refusal after look-ups.
  ...[402, 403, 404, 405, 409, 410, 412, 451].flatMap((status): Row[] => [
    [`${status}, an unknown code`, refusal(status, 'not_permitted'), '', [], 'look_up 0'],
    [
      `${status}, an unknown code, none twice`,
      refusal(status, 'not_permitted'),
      '',
      [none, none],
      'refused other looked_up',
    ],
    [`${status}, an unknown code, ours`, refusal(status, 'sold'), '', [ours], 'placed looked_up'],
  ]),
  ...[401, 408, 425, 429, 501, 503].map((status): Row => [
    `${status}, an unknown code`,
    refusal(status, 'busy'),
    '',
    [],
    status === 429 ? 'open rate_limited' : 'open unknown',
  ]),

  // A conflict.
  ['409 conflict', refusal(409, 'conflict'), '', [], 'look_up 0'],
  ['409 conflict, nothing shown', refusal(409, 'conflict'), '', [none], 'attention key_conflict 0'],
  ['409 conflict, ours shown', refusal(409, 'conflict'), 'sent', [ours], 'placed looked_up'],
  ['409 conflict, perhaps ours', refusal(409, 'conflict'), '', [possible], 'attention key_conflict 1'],
  ['409 conflict, list down', refusal(409, 'conflict'), '', [failed], 'open unknown'],
  ['400 idempotency_key_in_use', refusal(400, 'idempotency_key_in_use'), '', [none], 'attention key_conflict 0'],
  ...['conflict', 'request_in_progress', 'idempotency_key_in_use', 'domain_unavailable'].flatMap(
    (code): Row[] => [
      [`later 409 ${code}`, refusal(409, code), 'sent', [], 'look_up 0'],
      [`later 409 ${code}, none`, refusal(409, code), 'sent', [none], 'ask_again 15000'],
      [
        `409 ${code} of a client's retry`,
        refusal(409, code, 'unknown'),
        '',
        [none],
        'ask_again 15000',
      ],
      [
        `later 409 ${code}, list down`,
        refusal(409, code),
        'sent',
        [failed],
        'ask_again 15000',
      ],
      [
        `409 ${code}, asked again`,
        refusal(409, code),
        'sent, again',
        [],
        'look_up 0',
      ],
      [
        `409 ${code}, asked again, ours`,
        refusal(409, code),
        'sent, again',
        [ours],
        'placed looked_up',
      ],
      [
        `409 ${code}, asked again, list down`,
        refusal(409, code),
        'sent, again',
        [failed],
        'open unknown',
      ],
      [
        `409 ${code}, asked again, none twice`,
        refusal(409, code),
        'sent, again',
        [none, none],
        code === 'domain_unavailable' ? 'refused other looked_up' : 'attention key_conflict 0',
      ],
    ],
  ),
  ['asked again, and placed', placed, 'sent, again', [], 'placed replayed'],

  // An order that was created denied.
  ...['DENIED', 'cancelled', 'Payment_Declined', 'refundFailed', 'REJECTED'].flatMap(
    (status): Row[] => [
      [`created ${status}`, success({ status }), '', [], 'look_up 0'],
      [`created ${status}, and alive`, success({ status }), '', [ours], 'placed looked_up'],
      [
        `created ${status}, and so in the list`,
        success({ status }),
        '',
        [{ state: 'ours', order: { ...order, status } }],
        'attention ambiguous 1',
      ],
      [
        `created ${status}, not listed`,
        success({ status }),
        '',
        [none, none],
        'attention ambiguous 1',
      ],
      [`created ${status}, list down`, success({ status }), '', [failed], 'open unknown'],
    ],
  ),
  ...['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'pending', 'NOT_STARTED', 7].map((status): Row => [
    `created ${status}`,
    success({ status }),
    '',
    [],
    'placed replayed',
  ]),

  // Not the service's word on the sale.
  ['404 without a code', refusal(404, undefined), '', [], 'open unknown'],
  ['422 without a code', refusal(422, undefined), 'sent', [], 'open unknown'],
  ['409 without a code', refusal(409, undefined), 'sent', [], 'look_up 0'],
  ['409 without a code, ours', refusal(409, undefined), '', [ours], 'placed looked_up'],
  ['409 without a code, none twice', refusal(409, undefined), '', [none, none], 'open unknown'],
  ['401', refusal(401, 'invalid_signature'), '', [], 'open credentials'],
  ['401 without a code', refusal(401, undefined), '', [], 'open credentials'],
  ['401 missing_credentials', refusal(401, 'missing_credentials'), '', [], 'open credentials'],
  ['403 of a gateway for one body', refusal(403, undefined), 'sent', [], 'open unknown'],
  ['403', refusal(403, 'forbidden'), 'sent', [], 'open credentials'],
  ['400 invalid_signature', refusal(400, 'invalid_signature'), '', [], 'open credentials'],
  ['400 invalid_timestamp', refusal(400, 'invalid_timestamp'), '', [], 'open unknown'],
  ['400 replay_detected', refusal(400, 'replay_detected'), '', [], 'open unknown'],
  ['400 missing_idempotency_key', refusal(400, 'missing_idempotency_key'), '', [], 'open unknown'],
  ['400 missing_signature_headers', refusal(400, 'missing_signature_headers'), '', [], 'open unknown'],
  ['400 rate_limited', refusal(400, 'rate_limited'), '', [], 'open unknown'],
  ['400 internal_error', refusal(400, 'internal_error'), '', [], 'open unknown'],
  ['429', refusal(429, 'rate_limited'), '', [], 'open rate_limited'],
  ['500', refusal(500, 'internal_error', 'unknown'), '', [], 'open unknown'],
  ['an abort', { error: new Error('aborted') }, '', [], 'open unknown'],
  ['a thrown string', { error: 'broken' }, '', [], 'open unknown'],
  ['a thrown null', { error: null }, '', [], 'open unknown'],
];

describe('decideVerdict', () => {
  it.each(rows)('%s', (_what, attempt, known, lookUps, expected) => {
    const is = (word: string) => known.split(', ').includes(word);
    const facts = { mayHaveBeenSent: is('sent'), keyIsOld: is('old'), isAskedAgain: is('again') };
    expect(brief(decideVerdict({ attempt, ...facts, lookUps }))).toBe(expected);
  });

  it('keeps the refusal with the verdict', () => {
    const { error } = mismatch as { error: unknown };
    const evidence = { attempt: mismatch, mayHaveBeenSent: true, keyIsOld: false };
    expect(decideVerdict({ ...evidence, lookUps: [none, none] })).toMatchObject({ error });
    expect(decideVerdict({ ...evidence, lookUps: [possible] })).toMatchObject({ error });
  });

  it("tells of an order that contradicts the sale, and that it may be the sale's", () => {
    const attempt = success({ domain: 'tea.example' });
    const known = { mayHaveBeenSent: false, keyIsOld: false, lookUps: [] };
    expect(decideVerdict({ attempt, ...known })).toMatchObject({
      state: 'attention',
      error: {
        message:
          'POST /orders responded with an order that states the domain "tea.example", not "brew.example".',
        method: 'POST',
        outcome: 'unknown',
      },
    });
  });

  it('gives the wait that a response asks for', () => {
    const attempt = {
      error: { response: { status: 429 }, code: 'rate_limited', retryAfterMs: 7_000 },
    };
    const known = { mayHaveBeenSent: false, keyIsOld: false };
    expect(decideVerdict({ attempt, ...known, lookUps: [] })).toMatchObject({
      retryAfterMs: 7_000,
    });
    const odd = { error: { response: { status: 429 }, code: 'rate_limited', retryAfterMs: '7' } };
    expect(decideVerdict({ attempt: odd, ...known, lookUps: [] })).toMatchObject({
      retryAfterMs: undefined,
    });
    const down = { attempt: mismatch, mayHaveBeenSent: true, keyIsOld: false, lookUps: [failed] };
    expect(decideVerdict(down)).toMatchObject({ state: 'open', retryAfterMs: 5 });
  });

  it('never refuses a sale that may have been sent without two look-ups', () => {
    const attempts = rows.map(([, attempt]) => attempt);
    const oneLook = [[], [none], [ours], [possible], [failed]];
    for (const attempt of attempts) {
      for (const lookUps of oneLook) {
        const evidence = { attempt, mayHaveBeenSent: true, keyIsOld: false, lookUps };
        expect(decideVerdict(evidence).state).not.toBe('refused');
      }
    }
  });
});

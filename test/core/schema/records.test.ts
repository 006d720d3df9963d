/** Records: all broken rules of a value that is sent, and none of its content. */

import * as z from 'zod/mini';
import { describe, expect, it } from 'vitest';
import { optional } from '../../../src/core/schema/must.js';
import { checkRecord, mustBe, record } from '../../../src/core/schema/records.js';

interface Sale {
  domain: string;
  expected_price: number;
  buyer?: { country?: string | undefined } | undefined;
}
const whole = mustBe('a whole number above zero');
const buyer = record<{ country?: string | undefined }>(() => ({
  country: optional(
    z.pipe(
      z.string(mustBe('two letters')).check(z.length(2, mustBe('two letters'))),
      z.transform((it) => it.toUpperCase()),
    ),
  ),
}));
const sale = record<Sale>(
  () => ({
    domain: z.string(mustBe('a domain name')),
    expected_price: z.int(whole).check(z.minimum(1, whole)),
    buyer: optional(buyer()),
  }),
  ({ domain }) =>
    domain === 'a.example' ? { path: '', message: 'must not be this one' } : undefined,
);
const valid = { domain: 'brew.example', expected_price: 1 };
const broken = (value: unknown) => {
  const result = checkRecord(sale, value);
  return 'violations' in result
    ? result.violations.map(({ path, message }) => `${path}: ${message}`)
    : [];
};

describe('a record', () => {
  it('passes fields that are not documented, and is returned in the form that is sent', () => {
    const given = { ...valid, note: { a: 1 }, buyer: { country: 'gb' } };
    expect(checkRecord(sale, given)).toEqual({ value: { ...given, buyer: { country: 'GB' } } });
    expect(given.buyer.country).toBe('gb');
  });

  const domainMissing = 'domain: is required and must be a domain name';
  const wrongPrice = 'expected_price: must be a whole number above zero; received';
  const priced = (expected_price: unknown) => ({ ...valid, expected_price });
  const misspelled = 'is not a field. The service spells it';
  const misplaced = 'is a request option. Pass it in the next argument';
  it.each<[rules: string[], value: unknown]>([
    [[': is required and must be a plain object of fields'], undefined],
    [[': must be a plain object of fields; received a string'], 'brew.example'],
    [[': must be a plain object of fields; received an object'], new URL('https://a.example')],
    [[': must be a plain object of fields; received an array'], [valid]],
    [[domainMissing, `${wrongPrice} a number`], { expected_price: 19.99 }],
    [[`${wrongPrice} a number`], priced(0)],
    [[`${wrongPrice} a number`], priced(-5)],
    [[`${wrongPrice} NaN`], priced(NaN)],
    [[`${wrongPrice} null`], priced(null)],
    [[`${wrongPrice} a bigint`], priced(5n)],
    [
      [`expected_prise: ${misspelled} "expected_price"`],
      { domain: 'b.example', expected_prise: 5 },
    ],
    [[`idempotency_key: ${misplaced}`], { ...valid, idempotency_key: 'k' }],
    [[`timeoutMs: ${misplaced}`], { ...valid, timeoutMs: 5 }],
    [
      ['buyer.country: must be two letters; received a string'],
      { ...valid, buyer: { country: 'Germany' } },
    ],
    [[`buyer.contry: ${misspelled} "country"`], { ...valid, buyer: { contry: 'DE' } }],
    [[': must not be this one'], { ...valid, domain: 'a.example' }],
  ])('breaks %j', (rules, value) => {
    expect(broken(value)).toEqual(rules);
  });

  it('reports a misspelled field also beside one that is missing', () => {
    expect(broken({ expected_prise: 5 }).sort()).toEqual([
      domainMissing,
      `expected_prise: ${misspelled} "expected_price"`,
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../../../src/client/engine/retry/attempt-result.js';

const nowMs = Date.parse('2026-11-21T08:00:00Z');

describe('Retry-After', () => {
  it.each<[string, string | undefined, number | undefined]>([
    ['seconds', '3', 3_000],
    ['no wait', '0', 0],
    ['leading zeros', '007', 7_000],
    ['white space around', ' 5 ', 5_000],
    ['a fraction', '1.5', 1_500],
    ['a fraction of a millisecond, rounded up', '0.0001', 1],
    ['nine digits', '999999999', 999_999_999_000],
    ['a date to come', 'Sat, 21 Nov 2026 08:00:30 GMT', 30_000],
    ['this very second', 'Sat, 21 Nov 2026 08:00:00 GMT', 0],
    ['a date that is past', 'Sat, 21 Nov 2026 07:59:00 GMT', 0],
    ['a date of RFC 850', 'Saturday, 21-Nov-26 08:00:30 GMT', 30_000],
    ['a date of asctime', 'Sat Nov 21 08:00:30 2026', 30_000],
    ['two fields: the longer wait', '3, 5', 5_000],
    ['two dates', 'Sat, 21 Nov 2026 08:00:30 GMT, Sat, 21 Nov 2026 08:00:10 GMT', 30_000],
    ['seconds and a date', '60, Saturday, 21-Nov-26 08:00:30 GMT', 60_000],
    ['one that is none, and another', 'soon, 5', 5_000],
    ['missing', undefined, undefined],
    ['empty', '', undefined],
    ['blank', '  ', undefined],
    ['negative', '-3', undefined],
    ['a sign', '+3', undefined],
    // Unix seconds, which some gateways write here, are no wait of 56 years.
    ['ten digits', '1795226400', undefined],
    ['hexadecimal', '0x10', undefined],
    ['an exponent', '1e3', undefined],
    ['a bare point', '3.', undefined],
    ['a unit', '3s', undefined],
    ['a word', 'soon', undefined],
    ['ISO 8601', '2026-11-21T08:00:30Z', undefined],
    ['a date of another zone', 'Sat, 21 Nov 2026 08:00:30 CET', undefined],
    ['a date with the wrong weekday', 'Mon, 21 Nov 2026 08:00:30 GMT', undefined],
  ])('%s: %j', (_title, value, expected) => {
    expect(parseRetryAfter(value, nowMs)).toBe(expected);
  });
});

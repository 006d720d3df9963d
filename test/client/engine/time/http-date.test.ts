import { describe, expect, it } from 'vitest';
import { parseHttpDate, serverDateMs } from '../../../../src/client/engine/time/http-date.js';

const date = 'Sat, 21 Nov 2026 08:00:00 GMT';
const dateMs = Date.UTC(2026, 10, 21, 8);

describe('the Date of an answer', () => {
  it.each<[string, Record<string, string>, number | undefined]>([
    ['a fresh answer', { date }, dateMs],
    ['a cached one', { date, age: '17' }, undefined],
    ['one that passed a cache', { date, age: '0' }, dateMs],
    ['one that passed two', { date, age: '0, 17' }, dateMs],
    ['one that two caches kept', { date, age: '17, 0' }, undefined],
    ['an Age that is no number', { date, age: 'new' }, dateMs],
    ['two fields', { date: `${date}, Sat, 21 Nov 2026 08:00:01 GMT` }, dateMs],
    ['two fields of RFC 850', { date: `Saturday, 21-Nov-26 08:00:00 GMT, ${date}` }, dateMs],
    ['none', {}, undefined],
    ['an empty one', { date: '' }, undefined],
  ])('%s', (_title, headers, expected) => {
    expect(serverDateMs(headers)).toBe(expected);
  });

  it.each([
    ...['Sat, 21 Nov 2026 08:00:00 gmt', 'Sat, 21 Nov 2026 08:00:00 UTC'],
    ...['Sat, 21 Nov 2026 08:00:00 +0000', ' Sat, 21 Nov 2026 08:00:00 GMT'],
    ...['Sat, 21 Nov 2026 08:00:00 GMT, Sat, 21 Nov 2026 08:00:01 GMT'],
    ...['21 Nov 2026 08:00:00 GMT', 'Fri, 21 Nov 2026 08:00:00 GMT'],
    ...['Xyz, 21 Nov 2026 08:00:00 GMT', 'Saturday, 21 Nov 2026 08:00:00 GMT'],
    ...['Sat, 21-Nov-26 08:00:00 GMT', 'Satday, 21-Nov-26 08:00:00 GMT'],
    ...['Sunday, 21-Nov-26 08:00:00 GMT', 'Sat Nov 21 08:00:00 26', 'Sat Nov 1 08:00:00 2026'],
    ...['Sat, 21 Nov 2026 08:00:61 GMT', 'Sat, 1 Nov 2026 08:00:00 GMT'],
    ...['Tue, 31 Feb 2026 08:00:00 GMT', 'Sun, 29 Feb 2026 08:00:00 GMT'],
    ...['Sat, 21 Foo 2026 08:00:00 GMT', 'Sat, 21 Nov 2026 24:00:00 GMT'],
    ...['Sat, 21 Nov 2026 08:60:00 GMT', 'Sat, 00 Nov 2026 08:00:00 GMT', '2026-11-21T08:00:00Z'],
    ...[String(dateMs / 1000), 'junk'],
  ])('is not guessed at: %s', (value) => {
    expect(parseHttpDate(value)).toBeUndefined();
  });

  it.each([
    ['Saturday, 21-Nov-26 08:00:00 GMT', dateMs],
    ['Sat Nov 21 08:00:00 2026', dateMs],
    ['Sun Nov  1 08:00:00 2026', Date.UTC(2026, 10, 1, 8)],
    // A year of two digits is never more than 50 years ahead.
    ['Sunday, 06-Nov-94 08:49:37 GMT', Date.UTC(1994, 10, 6, 8, 49, 37)],
    ['Sat, 31 Dec 2016 23:59:60 GMT', Date.UTC(2017, 0, 1)],
  ])('is read as %s', (value, expected) => {
    expect(parseHttpDate(value)).toBe(expected);
  });

  it('is read in a leap year', () => {
    expect(parseHttpDate('Tue, 29 Feb 2028 23:59:59 GMT')).toBe(Date.UTC(2028, 1, 29, 23, 59, 59));
  });
});

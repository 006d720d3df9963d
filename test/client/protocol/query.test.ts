import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalQuery, InvalidRequestError, type QueryInput } from 'market-partner-sdk';
import { thrownBy } from '../../support/errors.js';

const text = fc.string({ unit: 'binary', maxLength: 12 });
const pairs = fc.array(fc.tuple(text, text), { maxLength: 8 });

const sorted = (list: [string, string][]): [string, string][] =>
  list.toSorted(([a, x], [b, y]) => (a === b ? order(x, y) : order(a, b)));
const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

describe('canonicalQuery, for any pairs', () => {
  it('does not depend on their order', () => {
    const shuffled = pairs.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, ([list, mixed]) => {
        expect(canonicalQuery(mixed)).toBe(canonicalQuery(list));
      }),
    );
  });

  it('gives a text that parses back into the pairs, sorted', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        expect([...new URLSearchParams(canonicalQuery(list))]).toEqual(sorted(list));
      }),
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        const once = canonicalQuery(list);
        expect(canonicalQuery(once)).toBe(once);
      }),
    );
  });

  it('consists of unreserved characters and escapes in upper-case hex', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        const part = '(?:[A-Za-z0-9\\-_.~]|%[0-9A-F]{2})*';
        expect(canonicalQuery(list)).toMatch(new RegExp(`^(?:${part}=${part}(?:&(?!$)|$))*$`));
      }),
    );
  });

  it('is left as it is by a URL parser', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        const query = canonicalQuery(list);
        const { search } = new URL(`https://market.example/?${query}`);
        expect(search).toBe(query === '' ? '' : `?${query}`);
      }),
    );
  });

  it('does not change its argument', () => {
    const argument = Object.freeze(Object.entries({ b: '1', a: '2' }));
    canonicalQuery(argument);
    expect(argument[0]).toEqual(['b', '1']);
  });
});

describe('canonicalQuery, for any raw text', () => {
  it('never throws on well-formed text, and is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (raw) => {
        const once = canonicalQuery(raw);
        expect(canonicalQuery(once)).toBe(once);
      }),
    );
  });

  it.each([
    ['?a=1', 'a=1'],
    ['??a=1', '%3Fa=1'],
    ['a=%', 'a=%25'],
    ['a=%zz', 'a=%25zz'],
    ['a=100%&b', 'a=100%25&b='],
    // Bytes that are no UTF-8 become U+FFFD, as in every form decoder.
    ['a=%FF', 'a=%EF%BF%BD'],
    ['a#b', 'a%23b='],
  ])('reads %s as forms are read', (raw, canonical) => {
    expect(canonicalQuery(raw)).toBe(canonical);
  });
});

describe('canonicalQuery, for an object', () => {
  it.each<[string, QueryInput, string]>([
    ['numbers and booleans are written out', { limit: 20, active: false }, 'active=false&limit=20'],
    ['null and undefined leave the parameter out', { a: undefined, b: null, c: 1 }, 'c=1'],
    ['an empty text stays', { a: '' }, 'a='],
    ['an array repeats the parameter', { a: ['2', null, '1', undefined] }, 'a=1&a=2'],
    ['an empty array leaves it out', { a: [] }, ''],
    ['keys that objects inherit are no parameters', Object.create({ a: '1' }) as QueryInput, ''],
  ])('%s', (_title, query, canonical) => {
    expect(canonicalQuery(query)).toBe(canonical);
  });

  it('sorts by UTF-16 code unit: an emoji before a private-use character', () => {
    expect(canonicalQuery({ '\ue000': '1', '\u{1f680}': '2' })).toBe('%F0%9F%9A%80=2&%EE%80%80=1');
  });
});

describe('canonicalQuery refuses', () => {
  const type = 'must be a string, a finite number or a boolean';
  const surrogate = 'contains a lone surrogate, which cannot be encoded as UTF-8';
  const shape = 'must hold pairs of a name and a value';
  const form = 'must be a string, pairs, URLSearchParams or an object of parameters';
  type Row = [string, unknown, { path: string; message: string }];
  it.each<Row>([
    ['an object as a value', { range: { from: 1 } }, { path: 'range', message: type }],
    ['a Date', { from: new Date(0) }, { path: 'from', message: type }],
    ['NaN', { limit: Number.NaN }, { path: 'limit', message: type }],
    ['Infinity', { limit: [1, Infinity] }, { path: 'limit', message: type }],
    ['a nested array', { a: [['1']] }, { path: 'a', message: type }],
    ['a pair without a value', [['a']], { path: 'a', message: type }],
    ['a pair with null', [['a', null]], { path: 'a', message: type }],
    ['an array of texts', ['a=1'], { path: 'query', message: shape }],
    ['a pair with a number for its name', [[1, 'a']], { path: 'query', message: shape }],
    ['half of a pair in a value', { q: '\ud83d' }, { path: 'q', message: surrogate }],
    ['half of a pair in a key', [['\ude80', 'x']], { path: '\ude80', message: surrogate }],
    ['half of a pair in a raw text', 'q=\ud83d', { path: 'query', message: surrogate }],
    ...[7, true, null, undefined, () => ''].map((query): Row => [
      `${String(query)} in place of a query`,
      query,
      { path: 'query', message: form },
    ]),
  ])('%s', (_title, query, issue) => {
    const error = thrownBy(() => canonicalQuery(query as QueryInput));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ issues: [issue], outcome: 'not_sent' });
  });
});

describe('a raw query', () => {
  it.each([
    ['q=100%%20Ħ', 'q=100%25%20%C4%A6'],
    ['q=100%%20\u2028', 'q=100%25%20%E2%80%A8'],
    ['%=%zz&€=%E2%82%AC', '%25=%25zz&%E2%82%AC=%E2%82%AC'],
    ['??a=b=c&&d', '%3Fa=b%3Dc&d='],
    ['q=%E4%B8+', 'q=%EF%BF%BD%20'],
  ])('keeps its characters where a "%%" starts no escape: %s', (query, canonical) => {
    expect(canonicalQuery(query)).toBe(canonical);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queryPairs } from '../../../src/client/input/index.js';
import { pairs, invalidRequestOf } from './violations.js';

describe('the values of a query', () => {
  it('are strings, in the order of the filters', () => {
    expect(
      queryPairs({ q: 'tea & ale', limit: 5, exact: false, after: new Date(0), blank: '' }),
    ).toEqual([
      ['q', 'tea & ale'],
      ['limit', '5'],
      ['exact', 'false'],
      ['after', '1970-01-01T00:00:00.000Z'],
      ['blank', ''],
    ]);
  });

  it('leave out what is undefined', () => {
    expect(queryPairs({ a: undefined, b: [] })).toEqual([]);
  });

  it('repeat the key of an array', () => {
    expect(queryPairs({ status: ['SETTLED', 'EXTERNALLY_PAID'], n: [1, true] })).toEqual([
      ['status', 'SETTLED'],
      ['status', 'EXTERNALLY_PAID'],
      ['n', '1'],
      ['n', 'true'],
    ]);
  });

  it('keep a key "__proto__" as data', () => {
    expect(queryPairs(JSON.parse('{"__proto__":"x"}') as object)).toEqual([['__proto__', 'x']]);
  });

  it.each([
    ['null', null],
    ['an object', {}],
    ['an object', new Map()],
    ['an array', [['nested']]],
    ['undefined', [undefined]],
    ['NaN', Number.NaN],
    ['-Infinity', -Infinity],
    ['5n', 5n],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
  ])('refuse %s, which has no single spelling in a query', (shown, value) => {
    const { issues } = invalidRequestOf(() => queryPairs({ fine: 1, x: value }));
    const rule = 'must be a string, a finite number, a boolean, a Date or an array of these';
    expect(pairs(issues)).toEqual([['x', `${rule}; received ${shown}`]]);
  });

  it('refuse an invalid Date', () => {
    const { issues } = invalidRequestOf(() => queryPairs({ at: new Date(Number.NaN) }));
    expect(issues.map(({ path }) => path)).toEqual(['at']);
  });

  it('come back as they went in, for any strings', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.dictionary(text, text), (filters) => {
        expect(queryPairs(filters)).toEqual(Object.entries(filters));
      }),
    );
  });
});

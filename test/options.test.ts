/** checkOptions: the one checker of options, with the rules of every part of the package. */

import { describe, expect, it } from 'vitest';
import {
  abortSignal,
  boolean,
  callback,
  checkOptions,
  loggerLike,
  milliseconds,
  nonEmptyString,
  oneOf,
  required,
  string,
  wholeNumber,
  withMethods,
} from '../src/options.js';

const invalid = (name: string, rule: string) => new RangeError(`"${name}" ${rule}`);

const check = (table: object, options: unknown, place?: { within?: string; example?: string }) =>
  checkOptions(table as never, options, invalid, place);

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

describe('checkOptions', () => {
  it('returns a copy without what is undefined, and reads each option once', () => {
    let reads = 0;
    const options = {
      get retries() {
        reads += 1;
        return reads;
      },
      name: undefined,
    };
    expect(check({ retries: wholeNumber(1), name: string }, options)).toEqual({ retries: 1 });
    expect(reads).toBe(1);
  });

  it('refuses an option that does not exist, and says which was meant', () => {
    const table = { forbidLive: boolean, fetch: callback };
    expect(() => check(table, { forbid_live: true })).toThrow(
      new RangeError('"forbid_live" is not an option (did you mean "forbidLive"?)'),
    );
    expect(() => check(table, { region: undefined })).toThrow(
      new RangeError('"region" is not an option; the options are forbidLive, fetch'),
    );
    expect(() => check(table, { ['x'.repeat(1_000_000)]: 1 })).toThrow(/^"x{60}" is not an option/);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'payment-1001'],
    ['a function', () => 1],
    ['a list', []],
    ['a Map', new Map()],
    ['an AbortSignal', new AbortController().signal],
    ['a Promise', Promise.resolve({})],
    ['a revoked Proxy', revoked({})],
  ])('refuses anything other than an object of options: %s', (_what, options) => {
    expect(() => check({ name: string }, options)).toThrow(/^"options" (must be|cannot be read)/);
  });

  it('names options inside an option by their path', () => {
    const place = { within: 'retry', example: '{ maxMs: 5 }' };
    expect(() => check({ maxMs: milliseconds }, { maxMs: 0 }, place)).toThrow(
      /^"retry.maxMs" must/,
    );
    expect(() => check({ maxMs: milliseconds }, { maxms: 1 }, place)).toThrow(/^"retry.maxms" is/);
    expect(() => check({ maxMs: milliseconds }, null, place)).toThrow(
      new RangeError('"retry" must be an object of options, such as { maxMs: 5 }'),
    );
  });

  it('says that an option is required where it is left out', () => {
    const table = { onPlaced: required(callback) };
    expect(() => check(table, {})).toThrow(
      new RangeError('"onPlaced" is required: it must be a function'),
    );
    expect(() => check(table, { onPlaced: null })).toThrow(/^"onPlaced" must be a function$/);
    expect(() => check(table, { onPlaced: () => 1 })).not.toThrow();
  });

  it('never shows a value', () => {
    for (const rule of [
      boolean,
      callback,
      abortSignal,
      loggerLike,
      milliseconds,
      oneOf('a', 'b'),
    ]) {
      expect(() => check({ value: rule }, { value: 'hunter2' })).toThrow(
        /^"value" must(?!.*hunter2)/,
      );
    }
  });
});

describe('each check', () => {
  class Handler extends Map {}
  const anything = () => 1;
  const store = { has: anything, orders: { create: anything } };
  const valid: [string, unknown, unknown[]][] = [
    ['boolean', boolean, [true, false]],
    ['string', string, ['', 'a']],
    ['nonEmptyString', nonEmptyString, ['a', ' a ']],
    [
      'callback',
      callback,
      [
        () => 1,
        async () => 1,
        function named() {
          return 1;
        },
        anything.bind(1),
      ],
    ],
    ['abortSignal', abortSignal, [new AbortController().signal, AbortSignal.timeout(1_000)]],
    ['loggerLike', loggerLike, [console, {}, { warn: () => 1 }]],
    ['milliseconds', milliseconds, [0.5, 1, 2 ** 31 - 1]],
    ['wholeNumber', wholeNumber(0, 100), [0, 100]],
    ['wholeNumber without an end', wholeNumber(1), [1, Number.MAX_SAFE_INTEGER]],
    ['oneOf', oneOf('off', 'warn', 'error'), ['off', 'warn', 'error']],
    ['withMethods', withMethods('has', 'orders.create'), [store]],
  ];
  it.each(valid)('accepts what is valid: %s', (_name, rule, values) => {
    for (const value of values) expect(check({ value: rule }, { value })).toEqual({ value });
  });

  const broken: [string, unknown, string, unknown[]][] = [
    ['boolean', boolean, 'must be true or false', [null, 0, 'yes']],
    ['string', string, 'must be a string', [null, 1, new String('a')]],
    ['nonEmptyString', nonEmptyString, 'must be a non-empty string', [null, '', ' \n']],
    ['callback', callback, 'must be a function', [null, {}, 'f']],
    ['callback', callback, 'must be a function, not a class', [Handler, class extends Set {}]],
    ['abortSignal', abortSignal, 'must be an AbortSignal', [null, {}, { aborted: false }, 7]],
    ['loggerLike', loggerLike, 'must be an object whose', [null, 'console', { warn: 'yes' }]],
    [
      'milliseconds',
      milliseconds,
      'must be a number of milliseconds',
      [null, 0, NaN, 2 ** 31, '5'],
    ],
    ['wholeNumber', wholeNumber(0, 100), 'from 0 to 100', [null, -1, 101, 0.5, '5']],
    ['wholeNumber without an end', wholeNumber(1), 'from 1 up', [0, Infinity, 2 ** 53]],
    ['oneOf', oneOf('a', 'b', 'c'), 'must be "a", "b" or "c"', [null, 'd', ['a']]],
    ['oneOf of one word', oneOf('all'), 'must be "all"', ['none']],
    ['withMethods', withMethods('has', 'a.b'), 'must have a method "a.b"', [store]],
    ['withMethods', withMethods('has'), 'must have a method "has"', [null, { has: 1 }, 'text']],
    ['withMethods', withMethods('has'), 'cannot be read', [revoked({})]],
  ];
  it.each(broken)('refuses by its rule what breaks it: %s, %#', (_name, rule, text, values) => {
    for (const value of values) {
      let message = '';
      try {
        check({ value: rule }, { value });
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).toContain(
        `"value" ${text.startsWith('must') || text.startsWith('cannot') ? text : ''}`,
      );
      expect(message).toContain(text);
    }
  });
});

/** checkOptions and the rules that every part of the package shares. */

import { describe, expect, it } from 'vitest';
import {
  abortSignal,
  anything,
  boolean,
  callback,
  checkOptions,
  lazily,
  logger,
  milliseconds,
  nested,
  oneOf,
  optional,
  strict,
  string,
  text,
  wholeNumber,
  withDefault,
  withMethods,
  type OptionErrorFactory,
} from '../../../src/core/schema/options.js';
import { thrownBy } from '../../support/errors.js';

const invalid: OptionErrorFactory = (name, rule, cause) =>
  new RangeError(`"${name}" ${rule}`, { cause });

const schema = lazily(() =>
  strict({
    market: withMethods('events.list'),
    everyMs: withDefault(wholeNumber(1), 60_000),
    maxRetries: optional(wholeNumber(0, 100)),
    timeoutMs: optional(milliseconds()),
    startFrom: optional(oneOf('beginning', 'now')),
    forbidLive: optional(boolean()),
    proxy: optional(string()),
    name: optional(text()),
    onGap: optional(callback<() => void>()),
    random: withDefault(callback<() => number>(), Math.random),
    signal: optional(abortSignal()),
    logger: optional(logger()),
    secret: optional(anything<string>()),
    retry: nested(strict({ maxMs: withDefault(wholeNumber(1), 900) })),
  }),
);
const market = { events: { list: () => [] } };
const check = (options: object) => checkOptions(schema, { market, ...options }, invalid);

describe('options', () => {
  it('have the defaults of their schema, and none for what has no default', () => {
    expect(check({ maxRetries: undefined, retry: undefined })).toEqual({
      market,
      everyMs: 60_000,
      random: Math.random,
      retry: { maxMs: 900 },
    });
  });

  it('are read once', () => {
    let reads = 0;
    const options = {
      get everyMs() {
        reads += 1;
        return reads;
      },
    };
    expect(check(Object.create(options) as object).everyMs).toBe(60_000); // a spread copies own ones
    expect(
      checkOptions(schema, Object.assign(Object.create(options), { market }), invalid),
    ).toMatchObject({ everyMs: 1 });
    expect(reads).toBe(1);
  });

  const wrongTime = '"timeoutMs" must be a number of milliseconds above 0, at most 2147483647';
  const notAnOption =
    'is not an option; the options are market, everyMs, maxRetries, timeoutMs, startFrom, forbidLive, proxy, name, onGap, random, signal, logger, secret, retry';
  it.each<[message: string, options: object]>([
    ['"market" must have a method "events.list"', { market: {} }],
    ['"market" is required and must have a method "events.list"', { market: undefined }],
    ['"everyMs" must be a whole number from 1 up', { everyMs: 0 }],
    ['"everyMs" must be a whole number from 1 up', { everyMs: 1.5 }],
    ['"everyMs" must be a whole number from 1 up', { everyMs: '1' }],
    ['"everyMs" must be a whole number from 1 up', { everyMs: null }],
    ['"everyMs" must be a whole number from 1 up', { everyMs: 2 ** 53 }],
    ['"maxRetries" must be a whole number from 0 to 100', { maxRetries: 101 }],
    [wrongTime, { timeoutMs: 0 }],
    [wrongTime, { timeoutMs: NaN }],
    [wrongTime, { timeoutMs: 2 ** 31 }],
    ['"startFrom" must be "beginning" or "now"', { startFrom: 'later' }],
    ['"forbidLive" must be true or false', { forbidLive: 'true' }],
    ['"proxy" must be a string', { proxy: 1 }],
    ['"name" must be a non-empty string', { name: ' ' }],
    ['"onGap" must be a function', { onGap: {} }],
    ['"onGap" must be a function, not a class', { onGap: class Gap extends Error {} }],
    ['"signal" must be an AbortSignal', { signal: { aborted: false } }],
    [
      '"logger" must be an object whose debug, info, warn and error, if it has them, are functions',
      { logger: { warn: 1 } },
    ],
    ['"retry" must be an object of options', { retry: [] }],
    ['"retry" must be an object of options', { retry: null }],
    ['"retry.maxMs" must be a whole number from 1 up', { retry: { maxMs: 0 } }],
    ['"retry.maxms" is not an option; the options are maxMs', { retry: { maxms: 5 } }],
    [`"${'x'.repeat(60)}" ${notAnOption}`, { ['x'.repeat(1_000_000)]: undefined }],
  ])('are refused: %s', (message, options) => {
    expect(thrownBy(() => check(options))).toEqual(new RangeError(message));
  });

  it.each<[name: string, values: unknown[]]>([
    ['maxRetries', [0, 100]],
    ['timeoutMs', [0.5, 2 ** 31 - 1]],
    ['startFrom', ['beginning', 'now']],
    ['proxy', ['', 'a']],
    ['name', ['a', ' a ']],
    ['onGap', [() => 1, async () => 1, check.bind(undefined)]],
    ['signal', [new AbortController().signal, AbortSignal.timeout(1_000)]],
    ['logger', [console, {}, { warn: () => 1 }]],
  ])('are accepted: %s', (name, values) => {
    for (const value of values) expect(check({ [name]: value })).toMatchObject({ [name]: value });
  });

  it('name what was misspelled before what is missing for it', () => {
    expect(thrownBy(() => checkOptions(schema, { markett: market }, invalid)).message).toMatch(
      /^"markett" is not an option; the options are market, /,
    );
  });

  const notOptions = '"stop" must be an object of options, such as { graceMs: 5 }';
  it.each<[message: string, options: unknown]>([
    [notOptions, undefined],
    [notOptions, 'payment-1001'],
    [notOptions, new Map()],
    [notOptions, new AbortController().signal],
    [`${notOptions}; await the Promise first`, Promise.resolve({})],
    [`${notOptions}; in a map(), write (each) => method(each), since it passes the index too`, 0],
    ['"stop.graceMs" must be a whole number from 0 up', { graceMs: -1 }],
  ])('are named after what holds them: %s', (message, options) => {
    const stop = lazily(() => strict({ graceMs: withDefault(wholeNumber(0), 0) }));
    const place = { within: 'stop', example: '{ graceMs: 5 }' };
    expect(thrownBy(() => checkOptions(stop, options, invalid, place)).message).toBe(message);
  });

  it('do not inherit from an extended Object.prototype', () => {
    const prototype = Object.prototype as { extended?: number };
    prototype.extended = 1;
    const names = Object.keys(check({ retry: {} }));
    delete prototype.extended;
    expect(names).toEqual(['market', 'everyMs', 'random', 'retry']);
  });
});

/** Values that a program may hand over by mistake or by malice. */

import { MarketError } from 'market-partner-sdk';

const cycle: Record<string, unknown> = { domain: 'brew.example' };
cycle.self = cycle;

const texts: readonly string[] = [
  '',
  ' ',
  '.',
  '..',
  '../orders',
  '..%2forders',
  '%2e%2e',
  '%2e%2e%2forders',
  'a/b',
  'a\\b',
  '/orders',
  '//evil.example',
  'https://evil.example/',
  'ord_1/../../refunds',
  'ord_1?limit=1',
  'ord_1#x',
  'ord_1;v=1',
  'a%00b',
  'a\0b',
  'a\rb',
  'a\nb',
  'brew.example\r\nX-Evil: 1',
  'brew.example\r\n\r\nGET / HTTP/1.1',
  '\u2028',
  '\u202eexample',
  '\ufeffbrew.example',
  '\ud800',
  'a\udfffb',
  'é'.normalize('NFD'),
  '。',
  '．．',
  '🦄',
  'eligibility',
  'search',
  '__proto__',
  'constructor',
  'toString',
  '${7*7}',
  "' or 1=1 --",
  '<script>',
  'NaN',
  '1e999',
  'x'.repeat(1_000_000),
  'a.'.repeat(5_000),
];

/** Objects that are not what is asked for. Each is a new one: some can be used once. */
const objects: Readonly<Record<string, () => unknown>> = {
  'a cycle': () => cycle,
  'an object without a prototype': () => Object.create(null) as unknown,
  'a prototype': () => JSON.parse('{"__proto__":{"a":1},"constructor":1}') as unknown,
  'a promise': () => Promise.resolve('brew.example'),
  'a rejected promise': () => {
    const promise = Promise.reject(new Error('x'));
    promise.catch(() => undefined);
    return promise;
  },
  'an array of holes': () => Array<unknown>(3),
  'a typed array': () => new Uint8Array(4),
  'an invalid Date': () => new Date(Number.NaN),
  'a Map': () => new Map([['domain', 'brew.example']]),
  'a class': () => MarketError,
  'a function': () => () => 'brew.example',
  'a String': () => Object('brew.example') as unknown,
  'a RegExp': () => /a/,
  'an Error': () => new Error('x'),
  'a URL': () => new URL('https://brew.example/'),
};

/** Every hostile value with its name. */
export const hostileValues: readonly (readonly [name: string, make: () => unknown])[] = [
  ...texts.map((text) => [JSON.stringify(text.slice(0, 40)), () => text] as const),
  ...[null, undefined, true, 0, -1, 1.5, Number.NaN, Infinity, 2 ** 60, 10n].map(
    (value) => [`${typeof value} ${value}`, () => value] as const,
  ),
  ['an empty array', () => []],
  ['an empty object', () => ({})],
  ['a symbol', () => Symbol('x')],
  ...Object.entries(objects),
];

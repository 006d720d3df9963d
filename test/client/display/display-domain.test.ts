import { describe, expect, it } from 'vitest';
import { displayDomain, InvalidRequestError } from 'market-partner-sdk';
import { thrownBy } from '../../support/errors.js';

describe('displayDomain', () => {
  it.each([
    ['brew.example', 'brew.example', 'brew.example'],
    ['Brew.Example.', 'brew.example', 'brew.example'],
    ['bücher.example', 'xn--bcher-kva.example', 'bücher.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example', 'bücher.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah', '例え.テスト'],
    ['пример.example', 'xn--e1afmkfd.example', 'пример.example'],
    ['24-7.example', '24-7.example', '24-7.example'],
  ])('has both forms of %s', (name, ascii, unicode) => {
    expect(displayDomain(name)).toEqual({ ascii, unicode, mixedScripts: [] });
  });

  it.each([
    ['br\u0435w.example', 'Latin and a Cyrillic e', ['Latin', 'Cyrillic']],
    ['xn--brw-sdd.example', 'the same in ASCII form', ['Latin', 'Cyrillic']],
    ['g\u03bfld.example', 'Latin and a Greek o', ['Latin', 'Greek']],
    ['shop.p\u0430y.example', 'a label that is not the first', ['Latin', 'Cyrillic']],
    // Not with Hebrew: a label may not mix directions, and Node 26 refuses it.
    ['\u0430\u0561.example', 'Cyrillic and Armenian', ['Cyrillic', 'Armenian']],
    ['漢\u0430.example', 'Han and Cyrillic', ['Cyrillic', 'Han']],
    ['ハングル한.example', 'Katakana and Hangul', ['Katakana', 'Hangul']],
    ['a\u2c00.example', 'a script without a name here', ['Latin', 'Other']],
  ])('names the scripts that a label mixes: %s, %s', (name, _what, mixedScripts) => {
    expect(displayDomain(name).mixedScripts).toEqual(mixedScripts);
  });

  it.each([
    ['Japanese with Latin', 'webデザイン例え.example'],
    ['Korean with Latin', 'k팝.example'],
    ['Chinese with Latin', 'a股.example'],
    ['a Cyrillic label beside a Latin one', 'пример.brew.example'],
    ['digits and hyphens', 'пример-24.example'],
  ])('finds no mixture in %s', (_what, name) => {
    expect(displayDomain(name).mixedScripts).toEqual([]);
  });

  it.each(['https://brew.example', 'brew', '', 5])('refuses %j', (name) => {
    const error = thrownBy(() => displayDomain(name as string), InvalidRequestError);
    expect(error.issues[0]?.path).toBe('name');
  });
});

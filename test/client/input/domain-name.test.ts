import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../../src/client/errors/index.js';
import { checkInput, domainName } from '../../../src/client/input/index.js';
import { invalidRequestOf } from './violations.js';

const hostNamePattern =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const check = (value: unknown) => checkInput(domainName, value, 'domain');

describe('domain names that are sent', () => {
  it.each([
    ['brew.example', 'brew.example'],
    ['BREW.Example', 'brew.example'],
    ['brew.example.', 'brew.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.EXAMPLE', 'xn--bcher-kva.example'],
    ['bu\u0308cher.example', 'xn--bcher-kva.example'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['faß.example', 'xn--fa-hia.example'],
    // Nodes differ about the capital one: `ss` is another name.
    ['STRAẞE.example', 'xn--strae-oqa.example'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['brew\uff0eexample\uff61', 'brew.example'],
    ['\uff22rew.example', 'brew.example'],
    ['❤️.example', 'xn--qei.example'],
    ['❤.example', 'xn--qei.example'],
    ['نامه\u200cای.example', 'xn--mgba3gch31f060k.example'],
    ['ab--cd.example', 'ab--cd.example'],
    ['1.example', '1.example'],
    ['123.456.example', '123.456.example'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
    [`${'a'.repeat(61)}.`.repeat(4) + 'vwxyz', `${'a'.repeat(61)}.`.repeat(4) + 'vwxyz'],
  ])('sends %j as %j', (given, sent) => {
    expect(check(given)).toBe(sent);
  });
});

describe('what is not a domain name', () => {
  it.each<[unknown]>(
    [
      ...['', undefined, null, 5, ['brew.example'], '  ', ' brew.example', 'brew.example\n'],
      ...['brew\t.example', 'https://brew.example/', 'HTTPS://Brew.example:8443/a?b#c'],
      ...['http://[::1]/', 'http://127.0.0.1/', 'tea.example/path', 'tea.example?q'],
      ...['tea.example#q', 'tea\\brew.example', '//', 'ada@brew.example', 'tea.example:443'],
      ...['tea.example:80', 'http:tea.example', '127.0.0.1', '127.0.0.1.', '0x7f.1', '1.2'],
      ...['256.256.256.256', '2130706433', '１２７.１', '::1', '[2001:db8::1]', '::ffff:1.2.3.4'],
      ...['brew', 'brew.', '.', '.brew.example', 'brew..example', 'brew.example..'],
      ...['brew。。example', 'brew.123', 'brew.0x1f', 'brew.１', '-brew.example', 'brew-.example'],
      ...['brew.-', 'brew_tea.example', '＿brew.example', 'br%41ew.example', 'brew!.example'],
      ...['*.example', 'brew,tea.example', 'br\u0000ew.example', 'br\u00adew.example'],
      ...['br\u200bew.example', 'br\u2060ew.example', 'br\u200dew.example', 'xn--a.example'],
      ...['xn--.example', 'xn--zzzzzz99.example', 'xn--bcher-kva.xn--a', 'xn--xn---epa.example'],
      ...['xn--brew-.example', '％41.example', '℀.example', '\u0301a.example'],
      ...[`${'a'.repeat(64)}.example`, `${'a'.repeat(61)}.`.repeat(4) + 'uvwxyz'],
      ...[`${'a.'.repeat(100_000)}example`, 'br\ud800ew.example'],
    ].map((given) => [given]),
  )('is refused: %j', (given) => {
    const { issues } = invalidRequestOf(() => check(given));
    expect(issues.map(({ path }) => path)).toEqual(['domain']);
  });

  it('does not have the user name and the password of a URL repeated', () => {
    const { message } = invalidRequestOf(() => check('https://ada:tulip@brew.example/'));
    expect(message).not.toMatch(/ada|tulip/);
  });
});

describe('any string at all', () => {
  const letters = fc.string({
    unit: fc.constantFrom(...Array.from('abcxyz019-._ü例ß%/:@ ️\u200d\u00ad。')),
    maxLength: 30,
  });
  const anything = fc.oneof(
    letters,
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.domain(),
    fc.webUrl(),
  );

  it('becomes letters, digits and hyphens, the same when checked again, or is refused', () => {
    fc.assert(
      fc.property(anything, (value) => {
        let sent: string;
        try {
          sent = check(value);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidRequestError);
          return;
        }
        expect(sent).toMatch(hostNamePattern);
        expect(check(sent)).toBe(sent);
        expect(domainToASCII(sent)).toBe(sent);
      }),
      { numRuns: 1500 },
    );
  });

  it('is taken when it is a domain name of plain letters', () => {
    fc.assert(
      fc.property(fc.domain(), (name) => {
        expect(check(name)).toBe(name.toLowerCase());
      }),
    );
  });
});

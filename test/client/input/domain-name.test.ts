import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../../src/client/errors/index.js';
import { checkInput, domainName } from '../../../src/client/input/index.js';
import { invalidRequestOf } from './violations.js';

const hostNamePattern =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const check = (value: unknown) => checkInput(domainName, value, 'domain');

/** The only violation of a name, after "must be a domain name: ". */
function violation(value: unknown): string {
  const { issues } = invalidRequestOf(() => check(value));
  expect(issues).toHaveLength(1);
  expect(issues[0]?.path).toBe('domain');
  return issues[0]?.message.replace('must be a domain name: ', '') ?? '';
}

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

describe('what is not a domain name is refused with the reason', () => {
  it.each([
    ['', 'must be a domain name; received ""'],
    [undefined, 'is required: it must be a domain name'],
    [null, 'must be a domain name; received null'],
    [5, 'must be a domain name; received 5'],
    [['brew.example'], 'must be a domain name; received an array of 1 item'],
    ['  ', 'received only white space'],
    [' brew.example', '" brew.example" has leading or trailing white space'],
    ['brew.example\n', '"brew.example\\n" has leading or trailing white space'],
    ['brew\t.example', '"brew\\t.example" has white space in it'],
    [
      'https://brew.example/',
      '"https://brew.example/" is a URL or a path; pass only the host: brew.example',
    ],
    [
      'HTTPS://Brew.example:8443/a?b#c',
      '"HTTPS://Brew.example:8443/a?b#c" is a URL or a path; pass only the host: brew.example',
    ],
    ['http://[::1]/', '"http://[::1]/" is a URL or a path; pass only the host: brew.example'],
    [
      'http://127.0.0.1/',
      '"http://127.0.0.1/" is a URL or a path; pass only the host: brew.example',
    ],
    ['tea.example/path', '"tea.example/path" is a URL or a path; pass only the host: tea.example'],
    ['tea.example?q', '"tea.example?q" is a URL or a path; pass only the host: tea.example'],
    ['tea.example#q', '"tea.example#q" is a URL or a path; pass only the host: tea.example'],
    [
      'tea\\brew.example',
      '"tea\\\\brew.example" is a URL or a path; pass only the host: brew.example',
    ],
    ['//', '"//" is a URL or a path; pass only the host: brew.example'],
    ['ada@brew.example', 'received an e-mail address; pass only the host: brew.example'],
    [
      'tea.example:443',
      '"tea.example:443" has a port or a scheme; pass only the host: tea.example',
    ],
    ['tea.example:80', '"tea.example:80" has a port or a scheme; pass only the host: tea.example'],
    [
      'http:tea.example',
      '"http:tea.example" has a port or a scheme; pass only the host: brew.example',
    ],
    ['127.0.0.1', '"127.0.0.1" is an IP address'],
    ['127.0.0.1.', '"127.0.0.1." is an IP address'],
    ['0x7f.1', '"0x7f.1" is an IP address'],
    ['1.2', '"1.2" is an IP address'],
    ['256.256.256.256', '"256.256.256.256" is an IP address'],
    ['2130706433', '"2130706433" is an IP address'],
    ['１２７.１', '"１２７.１" is an IP address'],
    ['::1', '"::1" is an IP address'],
    ['[2001:db8::1]', '"[2001:db8::1]" is an IP address'],
    ['::ffff:1.2.3.4', '"::ffff:1.2.3.4" is an IP address'],
    ['brew', '"brew" has no dot'],
    ['brew.', '"brew." has no dot'],
    ['.', '"." has an empty label'],
    ['.brew.example', '".brew.example" has an empty label'],
    ['brew..example', '"brew..example" has an empty label'],
    ['brew.example..', '"brew.example.." has an empty label'],
    ['brew。。example', '"brew。。example" has an empty label'],
    ['brew.123', '"brew.123" has a number as its last label'],
    ['brew.0x1f', '"brew.0x1f" has a number as its last label'],
    ['brew.１', '"brew.１" has a number as its last label'],
    ['-brew.example', '"-brew.example" has a label that begins or ends with a hyphen'],
    ['brew-.example', '"brew-.example" has a label that begins or ends with a hyphen'],
    ['brew.-', '"brew.-" has a label that begins or ends with a hyphen'],
    ['brew_tea.example', '"brew_tea.example" has an underscore, which host names do not have'],
    ['＿brew.example', '"＿brew.example" has an underscore, which host names do not have'],
    [
      'br%41ew.example',
      '"br%41ew.example" has a character other than letters, digits, hyphens and dots',
    ],
    [
      'brew!.example',
      '"brew!.example" has a character other than letters, digits, hyphens and dots',
    ],
    ['*.example', '"*.example" has a character other than letters, digits, hyphens and dots'],
    [
      'brew,tea.example',
      '"brew,tea.example" has a character other than letters, digits, hyphens and dots',
    ],
    [
      'br\u0000ew.example',
      '"br\\u0000ew.example" has a character other than letters, digits, hyphens and dots',
    ],
    ['br\u00adew.example', '"br\\u{ad}ew.example" has an invisible character in it'],
    ['br\u200bew.example', '"br\\u{200b}ew.example" has an invisible character in it'],
    ['br\u2060ew.example', '"br\\u{2060}ew.example" has an invisible character in it'],
    ['br\u200dew.example', '"br\\u{200d}ew.example" is not a valid internationalized name'],
    ['xn--a.example', '"xn--a.example" is not a valid internationalized name'],
    ['xn--.example', '"xn--.example" is not a valid internationalized name'],
    ['xn--zzzzzz99.example', '"xn--zzzzzz99.example" is not a valid internationalized name'],
    ['xn--bcher-kva.xn--a', '"xn--bcher-kva.xn--a" is not a valid internationalized name'],
    ['xn--xn---epa.example', '"xn--xn---epa.example" is not a valid internationalized name'],
    ['xn--brew-.example', '"xn--brew-.example" is not a valid internationalized name'],
    ['％41.example', '"％41.example" has a character other than letters, digits, hyphens and dots'],
    ['℀.example', '"℀.example" has a character other than letters, digits, hyphens and dots'],
    ['\u0301a.example', '"\u0301a.example" is not a valid internationalized name'],
    [
      `${'a'.repeat(64)}.example`,
      `"${'a'.repeat(60)}…" has a label of 64 characters in ASCII form, above the limit of 63`,
    ],
    [
      `${'a'.repeat(61)}.`.repeat(4) + 'uvwxyz',
      `"${'a'.repeat(60)}…" has 254 characters in ASCII form, above the limit of 253`,
    ],
    [
      `${'a.'.repeat(100_000)}example`,
      `"${'a.'.repeat(30)}…" has 200007 characters, above the limit of 253`,
    ],
    ['br\ud800ew.example', 'it contains a lone surrogate, which cannot be encoded'],
  ])('refuses %j: %s', (given, reason) => {
    expect(violation(given)).toBe(reason);
  });

  it('does not repeat the user name and the password of a URL', () => {
    const { message } = invalidRequestOf(() => check('https://ada:tulip@brew.example/'));
    expect(message).toContain('pass only the host: brew.example');
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

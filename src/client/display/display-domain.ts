/** displayDomain: the forms of a domain name that people read, and whether one may mislead. */

import { domainToUnicode } from 'node:url';
import { checkInput, domainName } from '../input/index.js';

/**
 * The forms of a domain name.
 *
 * @example
 * ```ts
 * import { displayDomain, type DomainDisplay } from 'market-partner-sdk';
 *
 * const label = ({ ascii, unicode, mixedScripts }: DomainDisplay) =>
 *   mixedScripts.length > 0 ? ascii : unicode;
 * console.log(label(displayDomain('xn--bcher-kva.example'))); // bücher.example
 * ```
 */
export interface DomainDisplay {
  /** Lower-case ASCII form, as it is sent: `xn--bcher-kva.example`. */
  readonly ascii: string;
  /** Unicode form, as people write it: `bücher.example`. */
  readonly unicode: string;
  /**
   * The scripts of the first label that mixes scripts which no language writes together, such as
   * `['Latin', 'Cyrillic']`; empty for other names. Show `ascii` then: a Cyrillic "а" looks like "a".
   */
  readonly mixedScripts: readonly string[];
}

/**
 * Returns both forms of a domain name, and the scripts that one of its labels mixes. A name that is
 * wholly in one script is not compared with look-alikes of another.
 *
 * @param name - a domain name in either form
 * @throws {@link InvalidRequestError} when `name` is not a domain name.
 *
 * @example
 * ```ts
 * import { displayDomain } from 'market-partner-sdk';
 *
 * const { unicode, mixedScripts } = displayDomain('xn--brw-sdd.example'); // its "е" is Cyrillic
 * console.log(unicode, mixedScripts); // brеw.example [ 'Latin', 'Cyrillic' ]
 * ```
 */
export function displayDomain(name: string): DomainDisplay {
  const ascii = checkInput(domainName, name, 'name');
  const unicode = domainToUnicode(ascii);
  const mixedScripts = unicode.split('.').map(scriptsOf).find(isMixed) ?? [];
  return { ascii, unicode, mixedScripts };
}

/** The scripts in which most domain names are registered; letters of all others count as one more. */
const scripts =
  'Latin Greek Cyrillic Armenian Hebrew Arabic Thaana Devanagari Bengali Gurmukhi Gujarati Oriya ' +
  'Tamil Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Georgian Ethiopic Khmer ' +
  'Mongolian Han Hiragana Katakana Bopomofo Hangul Cherokee';

/** Made at the first call: to make them costs 1 ms, which each cold start would pay. */
let expressions: ReturnType<typeof scriptExpressions> | undefined;

function scriptExpressions() {
  const letters = scripts
    .split(' ')
    .map((name) => ({ name, letter: new RegExp(`\\p{Script=${name}}`, 'u') }));
  const known = letters.map(({ letter }) => letter.source).join('');
  const other = new RegExp(`[^\\p{Script=Common}\\p{Script=Inherited}${known}]`, 'u');
  return [...letters, { name: 'Other', letter: other }];
}

/** Scripts that Japanese, Chinese and Korean write together, Latin included (UTS 39, section 5.2). */
const writtenTogether = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

function scriptsOf(label: string): string[] {
  expressions ??= scriptExpressions();
  return expressions.filter(({ letter }) => letter.test(label)).map(({ name }) => name);
}

function isMixed(found: readonly string[]): boolean {
  if (found.length < 2) return false;
  return !writtenTogether.some((together) => found.every((script) => together.includes(script)));
}

/** domainName: the schema that accepts a domain name and sends its one canonical spelling. */

import { domainToASCII, domainToUnicode } from 'node:url';
import * as z from 'zod/mini';
import { lazily } from '../../core/schema/must.js';
import { expected } from './describe-value.js';

/** Converting is slow, and a longer text never fits the limit in ASCII form. */
const maxWrittenLength = 1_000;
const maxNameLength = 253;

/** A domain name; sent in lower-case ASCII form (A-labels), without a trailing dot. */
export const domainName = lazily(() => {
  const rule = expected('a domain name alone, such as "brew.example"');
  return z.pipe(z.string(rule).check(z.refine(isDomainName, rule)), z.transform(asciiForm));
});

/**
 * `domainToASCII` is the URL parser's host rule: it silently drops tabs and a default port, cuts at a slash,
 * decodes `%41`, and reads `0x7f.1` as an IP address, each runtime in its own way. So what it would repair is
 * refused, and its result is checked.
 */
function isDomainName(value: string): boolean {
  return value.length <= maxWrittenLength && isWrittenPlainly(value) && isInAscii(asciiForm(value));
}

function isWrittenPlainly(value: string): boolean {
  // NFKC maps full-width and other compatibility characters to the plain ones.
  if (/[^a-z0-9.\-\u{80}-\u{10ffff}]/iu.test(value.normalize('NFKC'))) return false;
  // Allow ZWJ, ZWNJ and emoji variation selectors; reject every other invisible character.
  return !/(?![\u200c\u200d\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/u.test(value);
}

/**
 * The capital sharp s is `ss` to Node 20 and 22, and `ß`, another name, to later ones: it is lower-cased
 * before. It is the only character of which two Nodes make two names.
 */
function asciiForm(value: string): string {
  return domainToASCII(value.replaceAll('\u1e9e', '\u00df')).replace(/\.$/, '');
}

function isInAscii(name: string): boolean {
  const labels = name.split('.');
  return (
    name.length <= maxNameLength &&
    labels.length > 1 &&
    labels.every((label) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label) && hasUnicodeForm(label)) &&
    // A number as the last label makes it an IP address.
    !/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')
  );
}

/** Whether a label is plain, or decodes to text that encodes to it again: Node 24 takes any `xn--`. */
function hasUnicodeForm(label: string): boolean {
  if (!label.startsWith('xn--')) return true;
  const unicode = domainToUnicode(label);
  return /[^\0-\x7f]/.test(unicode) && domainToASCII(unicode) === label;
}

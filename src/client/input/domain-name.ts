/** domainName: the schema that accepts a domain name and sends its one canonical spelling. */

import { domainToASCII, domainToUnicode } from 'node:url';
import * as z from 'zod/mini';
import { lazily } from '../../core/schema/must.js';
import { quote } from './describe-value.js';
import { loneSurrogateRule, parsed } from './values.js';
import { parseUrl } from '../../core/parse-url.js';

const maxLabelLength = 63;
const maxNameLength = 253;
/** Converting is slow, and a longer text never fits the limit in ASCII form. */
const maxWrittenLength = 1000;
const exampleHost = 'brew.example';

/** A domain name; sent in lower-case ASCII form (A-labels), without a trailing dot. */
export const domainName = lazily(() =>
  z.pipe(parsed('a domain name', domainNameViolation), z.transform(asciiForm)),
);

/**
 * The rule that a domain name breaks. `domainToASCII` is the URL parser's host rule: it silently
 * drops tabs and a default port, cuts at a slash, decodes `%41`, and reads `0x7f.1` as an IP
 * address, each runtime in its own way. So we refuse what it would repair, and check its result.
 */
function domainNameViolation(value: string): string | undefined {
  const violation = violationAsWritten(value) ?? violationInAscii(value);
  return violation === undefined ? undefined : `must be a domain name: ${violation}`;
}

/**
 * The capital sharp s is `ss` to Node 20 and 22, and `ß`, another name, to later ones: it is lower-cased
 * before. It is the only character of which two Nodes make two names.
 */
function asciiForm(value: string): string {
  return domainToASCII(value.replaceAll('\u1e9e', '\u00df')).replace(/\.$/, '');
}

/** The rule that the name breaks as it is written. */
function violationAsWritten(value: string): string | undefined {
  if (value.length > maxWrittenLength) {
    return `${quote(value)} has ${value.length} characters, above the limit of ${maxNameLength}`;
  }
  if (!value.isWellFormed()) return `it ${loneSurrogateRule}`;
  if (value.trim() === '') return 'received only white space';
  if (value.trim() !== value) return `${quote(value)} has leading or trailing white space`;
  if (/[/\\?#]/.test(value)) return `${quote(value)} is a URL or a path; ${hostHint(value)}`;
  if (value.includes('@')) return `received an e-mail address; pass only the host: ${exampleHost}`;
  if (/^\[.*\]$/.test(value) || /^[0-9a-f]*(?::[0-9a-f.]*){2,}$/i.test(value)) {
    return ipAddressViolation(value);
  }
  if (value.includes(':')) return `${quote(value)} has a port or a scheme; ${hostHint(value)}`;
  if (/\s/.test(value)) return `${quote(value)} has white space in it`;
  // NFKC maps full-width and other compatibility characters to the plain ones.
  const plain = value.normalize('NFKC');
  if (plain.includes('_')) {
    return `${quote(value)} has an underscore, which host names do not have`;
  }
  if (/[^a-z0-9.\-\u{80}-\u{10ffff}]/iu.test(plain)) {
    return `${quote(value)} has a character other than letters, digits, hyphens and dots`;
  }
  // Allow ZWJ, ZWNJ and emoji variation selectors; reject every other invisible character.
  return /(?![\u200c\u200d\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/u.test(value)
    ? `${quote(value)} has an invisible character in it`
    : undefined;
}

/** The rule that the name breaks in ASCII form, label by label. */
function violationInAscii(value: string): string | undefined {
  const ascii = asciiForm(value);
  // domainToASCII() gives '' for invalid input; NFKC still shows whether it was an IP address.
  const labels = (ascii === '' ? value.normalize('NFKC').toLowerCase() : ascii).split('.');
  if (labels.every(isNumeric)) return ipAddressViolation(value);
  if (labels.includes('')) return `${quote(value)} has an empty label`;
  if (isNumeric(labels.at(-1) ?? '')) return `${quote(value)} has a number as its last label`;
  if (ascii === '' || !labels.every(hasUnicodeForm)) {
    return `${quote(value)} is not a valid internationalized name`;
  }
  for (const label of labels) {
    const violation = labelViolation(label);
    if (violation !== undefined) return `${quote(value)} ${violation}`;
  }
  if (labels.length < 2) return `${quote(value)} has no dot`;
  return ascii.length > maxNameLength
    ? `${quote(value)} has ${ascii.length} characters in ASCII form, above the limit of ${maxNameLength}`
    : undefined;
}

function labelViolation(label: string): string | undefined {
  if (/[^a-z0-9-]/.test(label)) return 'has a character other than letters, digits and hyphens';
  if (/^-|-$/.test(label)) return 'has a label that begins or ends with a hyphen';
  return label.length > maxLabelLength
    ? `has a label of ${label.length} characters in ASCII form, above the limit of ${maxLabelLength}`
    : undefined;
}

/** Whether a label is plain, or decodes to text that encodes to it again: Node 24 takes any `xn--`. */
function hasUnicodeForm(label: string): boolean {
  if (!label.startsWith('xn--')) return true;
  const unicode = domainToUnicode(label);
  return /[^\0-\x7f]/.test(unicode) && domainToASCII(unicode) === label;
}

/** A number in any of the notations in which an IPv4 address may be written. */
function isNumeric(label: string): boolean {
  return /^(?:\d+|0x[0-9a-f]*)$/.test(label);
}

function ipAddressViolation(value: string): string {
  return `${quote(value)} is an IP address`;
}

/** Names the host to pass instead: the URL's, if it can be parsed; else an example. */
function hostHint(value: string): string {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const host = parseUrl(address)?.hostname ?? '';
  return `pass only the host: ${violationInAscii(host) === undefined ? host : exampleHost}`;
}

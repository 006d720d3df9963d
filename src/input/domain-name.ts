/** Domain names: one spelling for each, and a reason for each refusal. */

import { domainToASCII, domainToUnicode } from 'node:url';
import { expected, quoted } from './given.js';
import { normalized, rule } from './rule.js';
import { isWellFormed, MALFORMED } from './values/text.js';

const MAX_LABEL_LENGTH = 63;
const MAX_NAME_LENGTH = 253;
/** No name of this length as written fits the limit in ASCII form, and converting takes time. */
const MAX_WRITTEN_LENGTH = 1000;
const EXAMPLE = 'brew.example';

/** A domain name; sent in lower-case ASCII form (A-labels), without a trailing dot. */
export const domainName = normalized(rule<string>(domainNameFault), asciiForm);

/**
 * The rule that a domain name breaks. `domainToASCII` is the URL parser's host rule: it drops tabs
 * and a default port, cuts at a slash, decodes `%41`, and reads `0x7f.1` as an IP address, all
 * without a word, and not in the same way on every runtime. So what it would repair is refused
 * before it, and its result is judged again.
 */
export function domainNameFault(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return expected('a domain name', value);
  const fault = writtenFault(value) ?? asciiFault(value);
  return fault === undefined ? undefined : `must be a domain name: ${fault}`;
}

function asciiForm(value: string): string {
  return domainToASCII(value).replace(/\.$/, '');
}

/** What is wrong with the name as it is written. */
function writtenFault(value: string): string | undefined {
  if (value.length > MAX_WRITTEN_LENGTH) {
    return `${quoted(value)} has ${value.length} characters, above the limit of ${MAX_NAME_LENGTH}`;
  }
  if (!isWellFormed(value)) return `it ${MALFORMED}`;
  if (value.trim() === '') return 'only white space was given';
  if (value.trim() !== value) return `${quoted(value)} has white space around it`;
  if (/[/\\?#]/.test(value)) return `${quoted(value)} is a URL or a path; ${hostHint(value)}`;
  if (value.includes('@')) return `an e-mail address was given; give the host alone: ${EXAMPLE}`;
  if (/^\[.*\]$/.test(value) || /^[0-9a-f]*(?::[0-9a-f.]*){2,}$/i.test(value)) {
    return addressFault(value);
  }
  if (value.includes(':')) return `${quoted(value)} has a port or a scheme; ${hostHint(value)}`;
  if (/\s/.test(value)) return `${quoted(value)} has white space in it`;
  // Full-width and other compatibility characters count as the plain ones that they stand for.
  const plain = value.normalize('NFKC');
  if (plain.includes('_')) {
    return `${quoted(value)} has an underscore, which host names do not have`;
  }
  if (/[^a-z0-9.\-\u{80}-\u{10ffff}]/iu.test(plain)) {
    return `${quoted(value)} has a character other than letters, digits, hyphens and dots`;
  }
  // Joiners are spelling in some scripts, and selectors belong to typed emoji; the rest is residue.
  return /(?![\u200c\u200d\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/u.test(value)
    ? `${quoted(value)} has an invisible character in it`
    : undefined;
}

/** What is wrong with the name in ASCII form, label by label. */
function asciiFault(value: string): string | undefined {
  const ascii = asciiForm(value);
  // Where there is no ASCII form, the compatibility form still tells a number from bad punycode.
  const labels = (ascii === '' ? value.normalize('NFKC').toLowerCase() : ascii).split('.');
  if (labels.every(isNumeric)) return addressFault(value);
  if (labels.includes('')) return `${quoted(value)} has an empty label`;
  if (isNumeric(labels.at(-1) ?? '')) return `${quoted(value)} has a number as its last label`;
  if (ascii === '' || !labels.every(hasUnicodeForm)) {
    return `${quoted(value)} is not valid in an internationalised name`;
  }
  for (const label of labels) {
    const fault = labelFault(label);
    if (fault !== undefined) return `${quoted(value)} ${fault}`;
  }
  if (labels.length < 2) return `${quoted(value)} has no dot`;
  return ascii.length > MAX_NAME_LENGTH
    ? `${quoted(value)} has ${ascii.length} characters in ASCII form, above the limit of ${MAX_NAME_LENGTH}`
    : undefined;
}

function labelFault(label: string): string | undefined {
  if (/[^a-z0-9-]/.test(label)) return 'has a character other than letters, digits and hyphens';
  if (/^-|-$/.test(label)) return 'has a label that begins or ends with a hyphen';
  return label.length > MAX_LABEL_LENGTH
    ? `has a label of ${label.length} characters in ASCII form, above the limit of ${MAX_LABEL_LENGTH}`
    : undefined;
}

/** Whether a label is plain, or encodes another that leads back to it: Node 24 takes any `xn--` text. */
function hasUnicodeForm(label: string): boolean {
  if (!label.startsWith('xn--')) return true;
  const unicode = domainToUnicode(label);
  return /[^\0-\x7f]/.test(unicode) && domainToASCII(unicode) === label;
}

/** A number in any of the notations in which an IPv4 address may be written. */
function isNumeric(label: string): boolean {
  return /^(?:\d+|0x[0-9a-f]*)$/.test(label);
}

function addressFault(value: string): string {
  return `${quoted(value)} is an IP address`;
}

/** The host to give instead, where it can be read from a URL; else an example. */
function hostHint(value: string): string {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  return `give the host alone: ${asciiFault(host) === undefined ? host : EXAMPLE}`;
}

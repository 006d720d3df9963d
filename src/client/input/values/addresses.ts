/** Schemas of e-mail addresses and of URLs. */

import { expectedMessage } from '../describe-value.js';
import { validated } from '../lazy-schema.js';
import { loneSurrogateRule } from './text.js';

/**
 * An e-mail address, as far as it can be checked without sending a message. Issues never repeat
 * the address: it is personal data, and messages end up in logs.
 */
export const email = validated<string>((value) => {
  if (typeof value !== 'string' || value === '') return expectedMessage('an e-mail address', value);
  const violation = emailViolation(value);
  return violation === undefined ? undefined : `must be an e-mail address: it ${violation}`;
});

/** An absolute http or https URL. Sent as given. */
export const httpUrl = validated<string>((value) => {
  const what = 'an absolute http or https URL';
  if (typeof value !== 'string') return expectedMessage(what, value);
  if (!value.isWellFormed()) return loneSurrogateRule;
  // URL parsers repair these characters silently, each in its own way.
  if (/[\s\p{Cc}\\]/u.test(value))
    return `${expectedMessage(what, value)}, which has white space, a control character or a backslash`;
  const authority = /^https?:\/\/([^/?#]+)/i.exec(value)?.[1];
  if (authority === undefined || !URL.canParse(value)) return expectedMessage(what, value);
  return authority.includes('@') ? 'must not have a user name or a password in it' : undefined;
});

function emailViolation(address: string): string | undefined {
  if (!address.isWellFormed()) return loneSurrogateRule;
  if (/[\s\p{Cc}]/u.test(address)) return 'has white space or a control character in it';
  const [local = '', domain, ...rest] = address.split('@');
  if (domain === undefined) return 'has no "@"';
  if (rest.length > 0) return 'has more than one "@"';
  if (local === '') return 'has nothing before the "@"';
  if (/[<>()[\]\\,;:"]/.test(local)) return 'has a character before the "@" that needs quoting';
  if (domain === '') return 'has nothing after the "@"';
  if (/[^a-z0-9.\-\u{80}-\u{10ffff}]/iu.test(domain))
    return 'has a character in its domain that no domain has';
  if (!/[.\u{80}-\u{10ffff}]/u.test(domain)) return 'has no dot in its domain';
  return /^\.|\.\.|\.$/.test(domain) ? 'has an empty label in its domain' : undefined;
}

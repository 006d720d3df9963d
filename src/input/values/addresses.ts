/** Checks of addresses: of people and of pages. */

import { expected } from '../given.js';
import { rule } from '../rule.js';
import { isWellFormed, MALFORMED } from './text.js';

/**
 * An e-mail address, as far as a mistake can be told without sending a message. The faults name
 * what is wrong and never repeat the address: messages end in logs, and it belongs to a person.
 */
export const email = rule<string>((value) => {
  if (typeof value !== 'string' || value === '') return expected('an e-mail address', value);
  const wrong = emailFault(value);
  return wrong === undefined ? undefined : `must be an e-mail address: it ${wrong}`;
});

/** The absolute address of a page. Sent as given. */
export const httpUrl = rule<string>((value) => {
  const what = 'an absolute http or https URL';
  if (typeof value !== 'string') return expected(what, value);
  if (!isWellFormed(value)) return MALFORMED;
  // The parser would repair these silently, and each reader of the URL in its own way.
  if (/[\s\p{Cc}\\]/u.test(value))
    return `${expected(what, value)}, with a character that it cannot hold`;
  const authority = /^https?:\/\/([^/?#]+)/i.exec(value)?.[1];
  if (authority === undefined || !URL.canParse(value)) return expected(what, value);
  return authority.includes('@') ? 'must not have a user name or a password in it' : undefined;
});

function emailFault(address: string): string | undefined {
  if (!isWellFormed(address)) return MALFORMED;
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

/** The one spelling of a domain name that the service stores. */

import { domainToASCII } from 'node:url';

/** domainToASCII repairs a name with these, as a URL parser would: `a.example/x` would become `a.example`. */
const repairedCharacters = /[/\\?#@:%\s\p{Cc}]/u;

/** Lower case, A-labels, no dot at the end; `undefined` for what is not a domain name. */
export function normalizeDomain(name: string): string | undefined {
  const written = name.trim();
  if (repairedCharacters.test(written)) return undefined;
  const ascii = domainToASCII(written.replace(/\.$/, ''));
  const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
  const labels = ascii.split('.');
  // A number as the last label makes it an IP address.
  const isDomain =
    ascii.length <= 253 &&
    labels.length > 1 &&
    labels.every((each) => label.test(each)) &&
    !/^\d+$/.test(labels.at(-1) ?? '');
  return isDomain ? ascii : undefined;
}

/** The one spelling of a domain name that the service stores. */

import { domainToASCII } from 'node:url';

/** Lower case, A-labels, no dot at the end; `undefined` for what is not a domain name. */
export function normalizeDomain(name: string): string | undefined {
  const ascii = domainToASCII(name.trim().replace(/\.$/, ''));
  const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
  const labels = ascii.split('.');
  const isDomain =
    ascii.length <= 253 && labels.length > 1 && labels.every((each) => label.test(each));
  return isDomain ? ascii : undefined;
}

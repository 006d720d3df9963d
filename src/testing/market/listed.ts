/** requireListing: finds a listed domain, or says why it is not listed. */

import type { Environment } from '../credentials.js';
import { ServiceError } from '../service-error.js';
import type { Market } from './market.js';
import type { EmulatorListing } from './records.js';

/** The listing, or the documented 404 for a domain that is not listed. */
export function requireListing(
  market: Market,
  environment: Environment,
  domain: string,
): EmulatorListing {
  const listing = market.inventory(environment).find(domain);
  if (listing !== undefined) return listing;
  throw new ServiceError('not_found', `${whyNotListed(market, environment, domain)}.`);
}

/** A sold domain is the usual reason, in an emulator that has run for a while. */
export function whyNotListed(market: Market, environment: Environment, domain: string): string {
  for (const account of market.accounts()) {
    if (account.environment !== environment) continue;
    const order = account.orders.findLast(
      (each) => each.domain === domain && each.status !== 'REFUNDED' && each.status !== 'CANCELLED',
    );
    const session = account.sessions.find((each) => each.domain === domain && each.sale);
    const soldAs = order?.public_id ?? session?.session_id;
    if (soldAs !== undefined) {
      return `${domain} was sold as ${soldAs}: "npx market-partner-sdk reset" puts the emulator back to its start`;
    }
  }
  return `${domain} is not listed`;
}

/** Specification, 4.3. */

import { createSession } from '../market/checkout.js';
import { created, type EndpointCall, type Endpoint } from './endpoint.js';
import { checkBuyer, readPriceFields } from './orders.js';

export const checkoutEndpoints: readonly Endpoint[] = [
  { method: 'POST', path: '/checkout-session', scopes: ['embed'], run: createCheckoutSession },
];

function createCheckoutSession({ market, account, body, baseUrl }: EndpointCall) {
  const input = body();
  checkBuyer(input);
  const session = createSession(
    market,
    account,
    {
      ...readPriceFields(input),
      return_url: input.url('return_url'),
      cancel_url: input.url('cancel_url'),
    },
    baseUrl,
  );
  const { session_id, checkout_url, domain, expires_at } = session;
  return created({ session_id, checkout_url, domain, expires_at });
}

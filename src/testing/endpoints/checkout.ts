/** Specification, 4.3. */

import { createSession } from '../market/checkout.js';
import { created, type Call, type Endpoint } from '../service/endpoint.js';
import { checkBuyer, priced } from './orders.js';

export const checkoutEndpoints: readonly Endpoint[] = [
  { method: 'POST', path: '/checkout-session', scopes: ['embed'], run: createCheckoutSession },
];

function createCheckoutSession({ market, account, body, baseUrl }: Call) {
  const input = body();
  checkBuyer(input);
  const session = createSession(market, account, priced(input), baseUrl);
  const { session_id, checkout_url, domain, expires_at } = session;
  return created({ session_id, checkout_url, domain, expires_at });
}

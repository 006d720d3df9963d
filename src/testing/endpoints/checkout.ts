/** Specification, 4.3. */

import { createSession } from '../market/checkout.js';
import { checkoutFields } from '../market/input.js';
import { addressAt } from '../market/records.js';
import { created, endpoint, type Endpoint } from './endpoint.js';

export const checkoutEndpoints: readonly Endpoint[] = [
  endpoint(
    'POST /checkout-session',
    { scopes: ['embed'] },
    checkoutFields,
    ({ market, account, input, baseUrl }) => {
      const session = createSession(market, account, input);
      const { session_id, checkout_url, domain, expires_at } = session;
      return created({
        session_id,
        checkout_url: addressAt(baseUrl, checkout_url),
        domain,
        expires_at,
      });
    },
  ),
];

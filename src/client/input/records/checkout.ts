/** The schema of a hosted checkout request. */

import type { CheckoutInput } from '../../model/checkout.js';
import { recordSchema } from '../record-schema.js';
import { domainName } from '../domain-name.js';
import { optional } from '../lazy-schema.js';
import { httpUrl } from '../values/addresses.js';
import { currency } from '../values/codes.js';
import { money } from '../values/numbers.js';
import { buyer } from './orders.js';

/** POST /checkout-session */
export const checkoutInput = recordSchema<CheckoutInput>({
  domain: domainName,
  currency: optional(currency),
  expected_price: optional(money),
  buyer: optional(buyer),
  return_url: optional(httpUrl),
  cancel_url: optional(httpUrl),
});

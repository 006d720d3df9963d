/** The fields of what partners ask for. The inner types are inferred from them. */

import * as z from 'zod/mini';
import { ruled } from '../../core/schema/must.js';
import { matching, oneOf, optional, text } from '../../core/schema/options.js';
import { cents, currency, domain, httpUrl, type Fields, type ValuesOf } from '../values.js';

export type Input<Shape extends () => Fields> = ValuesOf<ReturnType<Shape>>;

/** POST /quotes */
export const quoteFields = () => ({
  domain: domain(),
  expected_price: optional(cents()),
  currency: optional(currency()),
});

const country = () => matching(/^[A-Z]{2}$/, 'must be a country code of two capital letters');
const email = () => matching(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address');
const buyer = () => ({
  email: optional(email()),
  name: optional(text()),
  country: optional(country()),
});

/** POST /checkout-session */
export const checkoutFields = () => ({
  buyer: optional(z.object(buyer(), ruled('must be an object'))),
  return_url: optional(httpUrl()),
  cancel_url: optional(httpUrl()),
  ...quoteFields(),
});

/** POST /orders */
export const orderFields = () => ({
  ...checkoutFields(),
  quote_id: optional(text()),
  external_payment_ref: optional(text()),
});

/** POST /brokerage */
export function caseFields() {
  const rule = ruled('must be a number above zero');
  return {
    tier: oneOf('managed', 'self_serve'),
    buyer_email: email(),
    budget: optional(z.number(rule).check(z.gt(0, rule))),
    domain: optional(domain()),
  };
}

/** POST /links */
export const linkFields = () => ({
  type: oneOf('generic', 'domain', 'product'),
  domain: optional(domain()),
  product: optional(text()),
});

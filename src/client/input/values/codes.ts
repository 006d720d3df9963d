/** Schemas of currency codes, country codes and brokerage tiers. */

import { expectedMessage } from '../describe-value.js';
import { normalized, validated } from '../lazy-schema.js';

/** A currency code such as `USD`; sent in upper case (specification, part 2). */
export const currency = letterCode('three letters, such as "USD"', /^[a-z]{3}$/i);

/** A country code such as `GB`; sent in upper case (specification, part 2). */
export const country = letterCode('two letters, such as "GB"', /^[a-z]{2}$/i);

/** Who runs a brokerage case: one of two words (specification, part 2). */
export const brokerageTier = validated<'managed' | 'self_serve'>((value) =>
  value === 'managed' || value === 'self_serve'
    ? undefined
    : expectedMessage('"managed" or "self_serve"', value),
);

function letterCode(what: string, form: RegExp) {
  const schema = validated<string>((value) =>
    typeof value === 'string' && form.test(value) ? undefined : expectedMessage(what, value),
  );
  return normalized(schema, (value) => value.toUpperCase());
}

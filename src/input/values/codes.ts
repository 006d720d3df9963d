/** Checks of short codes with a fixed form. */

import { expected } from '../given.js';
import { normalized, rule } from '../rule.js';

/** A currency code such as `USD`; sent in upper case (specification, part 2). */
export const currency = letters('three letters, such as "USD"', /^[a-z]{3}$/i);

/** A country code such as `GB`; sent in upper case (specification, part 2). */
export const country = letters('two letters, such as "GB"', /^[a-z]{2}$/i);

/** Who runs a brokerage case: nothing but the two is taken (specification, part 2). */
export const brokerageTier = rule<'managed' | 'self_serve'>((value) =>
  value === 'managed' || value === 'self_serve'
    ? undefined
    : expected('"managed" or "self_serve"', value),
);

function letters(what: string, form: RegExp) {
  const check = rule<string>((value) =>
    typeof value === 'string' && form.test(value) ? undefined : expected(what, value),
  );
  return normalized(check, (value) => value.toUpperCase());
}

/** Checks of a tracking link to create. */

import type { LinkInput } from '../../model/referral.js';
import { documented } from '../documented.js';
import { domainName } from '../domain-name.js';
import { optional } from '../rule.js';
import { text } from '../values/text.js';

/** POST /links. Types that are not known here pass: the service may have more than three. */
export const linkInput = documented<LinkInput>({
  type: text,
  domain: optional(domainName),
  product: optional(text),
});

/** The schema of a tracking link to create. */

import type { TrackingLinkInput } from '../../model/referral.js';
import { recordSchema } from '../record-schema.js';
import { domainName } from '../domain-name.js';
import { optional } from '../lazy-schema.js';
import { text } from '../values/text.js';

/** POST /links. Types that are not known here pass: the service may have more than three. */
export const linkInput = recordSchema<TrackingLinkInput>({
  type: text,
  domain: optional(domainName),
  product: optional(text),
});

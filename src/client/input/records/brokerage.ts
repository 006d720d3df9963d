/** The schema of a brokerage case to open. */

import type { BrokerageCaseInput } from '../../model/brokerage.js';
import { recordSchema } from '../record-schema.js';
import { domainName } from '../domain-name.js';
import { optional } from '../lazy-schema.js';
import { email } from '../values/addresses.js';
import { brokerageTier } from '../values/codes.js';
import { budget } from '../values/numbers.js';

/** POST /brokerage */
export const brokerageCaseInput = recordSchema<BrokerageCaseInput>({
  tier: brokerageTier,
  buyer_email: email,
  budget: optional(budget),
  domain: optional(domainName),
});

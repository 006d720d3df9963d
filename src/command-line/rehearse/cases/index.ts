/** The catalog, in the order in which it plays. */

import type { Case } from '../case.js';
import { killCases } from './kills.js';
import { listCases } from './lists.js';
import { networkCases } from './network.js';
import { plainSale, sellingCases } from './selling.js';
import { webhookCases } from './webhooks.js';

export { plainSale };

/** Every case but the plain sale, which comes first. */
export const cases: readonly Case[] = [
  ...sellingCases,
  ...networkCases,
  ...listCases,
  ...webhookCases,
  ...killCases,
];

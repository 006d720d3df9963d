/** The catalog, in the order in which it plays. */

import type { Case, Need } from '../case.js';
import type { RehearsalOptions } from '../options.js';
import { killCases } from './kills.js';
import { listCases } from './lists.js';
import { networkCases } from './network.js';
import { plainSale, sellingCases } from './selling.js';
import { webhookCases } from './webhooks.js';
import { withdrawalCases } from './withdrawals.js';

export { plainSale };

/** Every case but the plain sale, which comes first. */
export const cases: readonly Case[] = [
  ...sellingCases,
  ...networkCases,
  ...listCases,
  ...withdrawalCases,
  ...webhookCases,
  ...killCases,
];

/** Every name that `--only` takes. */
export const caseNames = [plainSale, ...cases].map(({ name }) => name);

/** The option that a case needs and that is not given. */
export function unmetNeed(name: string, options: Pick<RehearsalOptions, Need>): Need | undefined {
  const needs = cases.find((each) => each.name === name)?.needs ?? [];
  return needs.find((need) => options[need] === undefined);
}

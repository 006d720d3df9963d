/** queryPairs: checked filters as the pairs of a query string, not yet in canonical form. */

import { isDate } from 'node:util/types';
import { InvalidRequestError, type InputIssue } from '../errors/invalid-request-error.js';
import { isoTime, isValidDate } from './dates.js';
import { describeValue } from './describe-value.js';
import { loneSurrogateRule } from './values.js';

/** Far above what fits in a URL; a sparse array of 2^32 items would use up the memory. */
const maxRepeats = 10_000;

/**
 * One pair for each value: `undefined` is left out, numbers and booleans become strings, a `Date`
 * its `toISOString()`, and an array repeats its key.
 *
 * @throws {@link InvalidRequestError} for what has no single spelling in a query, such as an object.
 */
export function queryPairs(filters: object): [string, string][] {
  const pairs: [string, string][] = [];
  const issues: InputIssue[] = [];
  for (const [key, value] of Object.entries(filters as Readonly<Record<string, unknown>>)) {
    if (value === undefined) continue;
    if (Array.isArray(value) && value.length > maxRepeats) {
      issues.push({ path: key, message: `must not hold more than ${maxRepeats} values` });
      continue;
    }
    const values: unknown[] = Array.isArray(value) ? Array.from(value) : [value];
    const message = key.isWellFormed()
      ? values.map(violationOf).find((violation) => violation !== undefined)
      : loneSurrogateRule;
    if (message !== undefined) issues.push({ path: key, message });
    else for (const one of values) pairs.push([key, isDate(one) ? isoTime(one) : String(one)]);
  }
  if (issues.length > 0) throw new InvalidRequestError(issues);
  return pairs;
}

function violationOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : loneSurrogateRule;
  if (typeof value === 'boolean' || Number.isFinite(value)) return undefined;
  if (isDate(value)) {
    return isValidDate(value) ? undefined : 'must be a valid Date; received an invalid one';
  }
  return `must be a string, a finite number, a boolean, a Date or an array of these; received ${describeValue(value)}`;
}

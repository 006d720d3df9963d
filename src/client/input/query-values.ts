/** queryPairs: checked filters as the pairs of a query string, not yet in canonical form. */

import { isDate } from 'node:util/types';
import { InvalidRequestError, type InputIssue } from '../errors/invalid-request-error.js';
import { isoTime, isValidDate } from './dates.js';
import { describeValue } from './describe-value.js';

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
    const values: unknown[] = Array.isArray(value) ? value : [value];
    const message = firstViolation(values);
    if (message !== undefined) issues.push({ path: key, message });
    else for (const one of values) pairs.push([key, isDate(one) ? isoTime(one) : String(one)]);
  }
  if (issues.length > 0) throw new InvalidRequestError(issues);
  return pairs;
}

/** Not by map, which skips the holes of a sparse array. */
function firstViolation(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const message = violationOf(value);
    if (message !== undefined) return message;
  }
  return undefined;
}

function violationOf(value: unknown): string | undefined {
  if (['string', 'boolean'].includes(typeof value) || Number.isFinite(value)) return undefined;
  if (isDate(value)) {
    return isValidDate(value) ? undefined : 'must be a valid Date; received an invalid one';
  }
  return `must be a string, a finite number, a boolean, a Date or an array of these; received ${describeValue(value)}`;
}

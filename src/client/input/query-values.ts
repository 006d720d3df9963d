/** queryPairs: checked filters as the pairs of a query string, not yet in canonical form. */

import { isDate } from 'node:util/types';
import {
  InvalidRequestError,
  invalidRequest,
  type InputIssue,
} from '../errors/invalid-request-error.js';
import { isPlainObject } from '../../json.js';
import { describeValue, expectedMessage } from './describe-value.js';
import { loneSurrogateRule } from './values/text.js';

/**
 * One pair for each value: `undefined` is left out, numbers and booleans become strings, a `Date`
 * its `toISOString()`, and an array repeats its key.
 *
 * @throws {@link InvalidRequestError} for what has no single spelling in a query, such as an object.
 */
export function queryPairs(filters: unknown): [string, string][] {
  if (!isPlainObject(filters)) {
    throw invalidRequest('query', expectedMessage('a plain object of parameters', filters));
  }
  const pairs: [string, string][] = [];
  const issues: InputIssue[] = [];
  for (const [key, value] of Object.entries(filters)) {
    if (value === undefined) continue;
    const values: unknown[] = Array.isArray(value) ? Array.from(value) : [value];
    const violation = key.isWellFormed() ? firstViolation(values) : loneSurrogateRule;
    if (violation !== undefined) issues.push({ path: key, message: violation });
    else for (const one of values) pairs.push([key, isDate(one) ? one.toISOString() : String(one)]);
  }
  if (issues.length > 0) throw new InvalidRequestError(issues);
  return pairs;
}

function firstViolation(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const violation = valueViolation(value);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

function valueViolation(value: unknown): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : loneSurrogateRule;
  if (typeof value === 'boolean' || Number.isFinite(value)) return undefined;
  if (isDate(value)) {
    return Number.isNaN(value.getTime())
      ? 'must be a valid Date; received an invalid one'
      : undefined;
  }
  return `must be a string, a finite number, a boolean, a Date or an array of these; received ${describeValue(value)}`;
}

/** Checked filters as the pairs of a query string, still to be put into canonical form. */

import { isDate } from 'node:util/types';
import { InvalidRequestError, type InputIssue } from '../errors/before-sending.js';
import type { CallFacts } from '../errors/market-error.js';
import { expected, given } from './given.js';
import { isPlainObject } from './plain-object.js';
import { isWellFormed, MALFORMED } from './values/text.js';

/**
 * One pair for each value: `undefined` is left out, numbers and booleans become strings, a `Date`
 * its `toISOString()`, and an array repeats its key.
 *
 * @throws {InvalidRequestError} for what has no one spelling in a query, such as an object.
 */
export function queryPairs(filters: unknown, call: CallFacts = {}): [string, string][] {
  if (!isPlainObject(filters)) {
    const message = expected('a plain object of parameters', filters);
    throw new InvalidRequestError([{ path: 'query', message }], call);
  }
  const pairs: [string, string][] = [];
  const issues: InputIssue[] = [];
  for (const [key, value] of Object.entries(filters)) {
    if (value === undefined) continue;
    const values: unknown[] = Array.isArray(value) ? Array.from(value) : [value];
    const fault = isWellFormed(key) ? firstFault(values) : MALFORMED;
    if (fault !== undefined) issues.push({ path: key, message: fault });
    else for (const one of values) pairs.push([key, isDate(one) ? one.toISOString() : String(one)]);
  }
  if (issues.length > 0) throw new InvalidRequestError(issues, call);
  return pairs;
}

function firstFault(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const fault = valueFault(value);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function valueFault(value: unknown): string | undefined {
  if (typeof value === 'string') return isWellFormed(value) ? undefined : MALFORMED;
  if (typeof value === 'boolean' || Number.isFinite(value)) return undefined;
  if (isDate(value)) {
    return Number.isNaN(value.getTime())
      ? 'must be a valid Date; an invalid one was given'
      : undefined;
  }
  return `must be a string, a finite number, a boolean, a Date or an array of these; ${given(value)} was given`;
}

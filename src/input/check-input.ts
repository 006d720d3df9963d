/** Runs a check and refuses, before anything is sent, what breaks it. */

import { safeParse } from 'zod/mini';
import { InvalidRequestError } from '../errors/before-sending.js';
import type { CallFacts } from '../errors/market-error.js';
import type { Check } from './rule.js';

/** The call that the input is for. */
export interface InputFacts extends Pick<CallFacts, 'method' | 'path' | 'idempotencyKey'> {
  /** What the input as a whole is called in messages: the argument's name, such as `domain`. */
  readonly name?: string;
}

/**
 * The input in the form in which it is sent; the caller's own object is left as it is.
 *
 * @throws {InvalidRequestError} with every rule that is broken, in the order of the documented fields.
 */
export function checkInput<Out>(check: Check<Out>, input: unknown, facts: InputFacts = {}): Out {
  const result = safeParse(check(), input);
  if (result.success) return result.data;
  const { name = 'input', ...call } = facts;
  const issues = result.error.issues.map(({ path, message }) => ({
    path: path.length === 0 ? name : path.map(String).join('.'),
    message,
  }));
  throw new InvalidRequestError(issues, call);
}

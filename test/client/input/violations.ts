/** violations: the rules that an input breaks. */

import { InvalidRequestError, type InputIssue } from '../../../src/client/errors/index.js';
import { checkInput } from '../../../src/client/input/index.js';
import type { LazySchema as Lazily, Schema } from '../../../src/core/schema/must.js';
import { thrownBy } from '../../support/errors.js';

export type LazySchema<T> = Lazily<Schema<T>>;

/** The rules that an input breaks, as `[path, message]`. */
export function violations(schema: LazySchema<unknown>, input: unknown): [string, string][] {
  return pairs(invalidRequestOf(() => checkInput(schema, input)).issues);
}

export function invalidRequestOf(action: () => unknown): InvalidRequestError {
  return thrownBy(action, InvalidRequestError);
}

export function pairs(issues: readonly InputIssue[]): [string, string][] {
  return issues.map(({ path, message }) => [path, message]);
}

/** checkInput: checks an argument against its schema before anything is sent. */

import { isObject } from '../../core/json.js';
import { withoutExtensions, type LazySchema, type Schema } from '../../core/schema/must.js';
import { checkRecord } from '../../core/schema/records.js';
import { InvalidRequestError, invalidRequest } from '../errors/invalid-request-error.js';

/**
 * Checks the input and returns it in the form in which it is sent.
 *
 * @param name - what messages call the input as a whole, such as `domain`
 * @throws {@link InvalidRequestError} with every broken rule.
 */
export function checkInput<T>(schema: LazySchema<Schema<T>>, input: unknown, name = 'input'): T {
  const result = withoutExtensions(() => checkRecord(schema, input));
  if ('value' in result) return result.value;
  throw new InvalidRequestError(
    result.violations.map(({ path, message }) => ({ path: path === '' ? name : path, message })),
  );
}

/**
 * The fields of an argument that holds several, each read once.
 *
 * @throws {@link InvalidRequestError} for anything other than an object.
 */
export function readFields<Name extends string>(
  noun: string,
  given: unknown,
  ...names: readonly Name[]
): Readonly<Record<Name, unknown>> {
  if (!isObject(given) || Symbol.iterator in given) {
    throw invalidRequest(noun, `must be an object: { ${names.join(', ')} }`);
  }
  const fields = given as Readonly<Record<Name, unknown>>;
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as typeof fields;
}

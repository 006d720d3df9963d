/** checkInput: checks an argument against its schema before anything is sent. */

import { safeParse } from 'zod/mini';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { copyInput } from './copy-input.js';
import type { LazySchema } from './lazy-schema.js';

/**
 * Copies the input, checks the copy and returns it in the form in which it is sent.
 *
 * @param name - what messages call the input as a whole, such as `domain`
 * @throws {@link InvalidRequestError} with every broken rule, in the order of the documented fields.
 */
export function checkInput<Out>(schema: LazySchema<Out>, input: unknown, name = 'input'): Out {
  const result = safeParse(schema(), copyInput(input, name));
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({
    path: path.length === 0 ? name : path.map(String).join('.'),
    message,
  }));
  throw new InvalidRequestError(issues);
}

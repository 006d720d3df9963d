/** Checks of free text. */

import { expected } from '../given.js';
import { rule } from '../rule.js';

const SHAPE = 'a string that is not blank';

/** Half of a surrogate pair has no UTF-8 form: it would arrive as another character than was signed. */
export const MALFORMED =
  'has half of a character in it (a lone surrogate), which cannot be encoded';

/** The fault of a text that must say something. */
function textFault(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return expected(SHAPE, value);
  return isWellFormed(value) ? undefined : MALFORMED;
}

/** Whether a string can be encoded as UTF-8 without loss. */
export function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}

/** A name, a reason, a reference: any text that is not blank. Sent as given. */
export const text = rule<string>(textFault);

/** The words to search for (specification, part 4.1: q is required). Sent as given. */
export const searchQuery = text;

/** A secret. Its messages never repeat any part of it. */
export const secret = rule<string>((value) => {
  if (value === undefined) return `is required: it must be ${SHAPE}`;
  if (typeof value !== 'string' || value.trim() === '') return `must be ${SHAPE}`;
  return isWellFormed(value) ? undefined : MALFORMED;
});

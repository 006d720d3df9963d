/** Schemas of free text and of secrets. */

import { expectedMessage } from '../describe-value.js';
import { validated } from '../lazy-schema.js';

const textRule = 'a string that is not blank';

/** A lone surrogate has no UTF-8 form: a replacement character would arrive in its place. */
export const loneSurrogateRule = 'contains a lone surrogate, which cannot be encoded';

/** A name, a reason, a reference: any text that is not blank. Sent as given. */
export const text = validated<string>((value) => {
  if (typeof value !== 'string' || value.trim() === '') return expectedMessage(textRule, value);
  return value.isWellFormed() ? undefined : loneSurrogateRule;
});

/** A secret. Its issues never repeat any part of it. */
export const secret = validated<string>((value) => {
  if (value === undefined) return `is required: it must be ${textRule}`;
  if (typeof value !== 'string' || value.trim() === '') return `must be ${textRule}`;
  return value.isWellFormed() ? undefined : loneSurrogateRule;
});

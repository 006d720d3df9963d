/** Schemas of identifiers that travel in a path or in a header. */

import { isPathSegment, pathSegmentRule } from '../../protocol/path.js';
import { expectedMessage, quote } from '../describe-value.js';
import { validated } from '../lazy-schema.js';
import { loneSurrogateRule } from './text.js';

const maxIdLength = 256;
const maxKeyLength = 255;

/** An identifier that the service assigned, as one segment of a path. */
export const pathId = validated<string>((value) => {
  if (typeof value !== 'string' || value === '') return expectedMessage('an identifier', value);
  if (value.length > maxIdLength) {
    return `must have at most ${maxIdLength} characters; received ${value.length}`;
  }
  if (!value.isWellFormed()) return loneSurrogateRule;
  return isPathSegment(value) ? undefined : `must be ${pathSegmentRule}; received ${quote(value)}`;
});

/** An Idempotency-Key: it travels in a header (specification, part 5). */
export const idempotencyKey = validated<string>((value) =>
  typeof value === 'string' && value.length <= maxKeyLength && /^[!-~]+$/.test(value)
    ? undefined
    : expectedMessage(`1 to ${maxKeyLength} visible ASCII characters`, value),
);

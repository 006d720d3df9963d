/** Checks of identifiers that stand in a path or in a header. */

import { expected, quoted } from '../given.js';
import { rule } from '../rule.js';
import { isWellFormed, MALFORMED } from './text.js';

const MAX_ID_LENGTH = 256;
const MAX_KEY_LENGTH = 255;

/**
 * An identifier that the service gave, as one segment of a path. What could turn it into another
 * path, a query or a fragment is refused: escaping would not do, as gateways unescape.
 */
export const pathId = rule<string>((value) => {
  if (typeof value !== 'string' || value === '') return expected('an identifier', value);
  if (value.length > MAX_ID_LENGTH) {
    return `must have at most ${MAX_ID_LENGTH} characters; ${value.length} were given`;
  }
  if (!isWellFormed(value)) return MALFORMED;
  if (value === '.' || value === '..' || /[/\\?#%\s\p{Cc}]/u.test(value)) {
    return `must be an identifier without "/", "\\", "?", "#", "%" or white space, and not "." or ".."; ${quoted(value)} was given`;
  }
  return undefined;
});

/** An Idempotency-Key: it travels in a header (specification, part 5). */
export const idempotencyKey = rule<string>((value) =>
  typeof value === 'string' && value.length <= MAX_KEY_LENGTH && /^[!-~]+$/.test(value)
    ? undefined
    : expected(`1 to ${MAX_KEY_LENGTH} visible ASCII characters`, value),
);

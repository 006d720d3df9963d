/** `redactCause`: a cause whose `data` shows no secret. */

import { isObject } from '../../core/json.js';
import { describeCause, longestChain } from '../../core/errors/cause.js';
import { redact } from '../../core/errors/redact.js';

const maxDataLength = 500;

/**
 * The HTTP parser's error holds the bytes that it could not read, and a dispatcher may attach more: both can
 * repeat a secret. Text is redacted, all else is left out. A cause that cannot be changed is replaced by its words.
 */
export function redactCause(cause: unknown, secrets: readonly string[]): unknown {
  try {
    let at: unknown = cause;
    for (let link = 0; link < longestChain && isObject(at); link += 1) {
      const { cause: inner, errors } = at as { cause?: unknown; errors?: unknown };
      const tried: unknown[] = Array.isArray(errors) ? errors.slice(0, longestChain) : [];
      for (const each of [at, ...tried]) if (isObject(each)) redactData(each, secrets);
      at = inner;
    }
    return cause;
  } catch {
    return new Error(redact(describeCause(cause) ?? '', secrets));
  }
}

function redactData(link: object, secrets: readonly string[]): void {
  const { data } = link as { data?: unknown };
  if (typeof data !== 'string' && !isObject(data)) return;
  const value =
    typeof data === 'string' ? redact(data, secrets).slice(0, maxDataLength) : undefined;
  Object.defineProperty(link, 'data', {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

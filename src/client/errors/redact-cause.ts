/** `redactCause`: a cause whose `data` shows no secret. */

import { isObject } from '../../core/json.js';
import { longestChain } from '../../core/errors/cause.js';
import { redact } from '../../core/errors/redact.js';

const maxDataLength = 500;

/**
 * The HTTP parser's error holds the bytes that it could not read, and a dispatcher may attach more:
 * both can repeat a secret. A cause that cannot be changed is replaced by its message.
 */
export function redactCause(cause: unknown, secrets: readonly string[]): unknown {
  try {
    let at: unknown = cause;
    for (let link = 0; link < longestChain && isObject(at); link += 1) {
      redactData(at, secrets);
      const { cause: inner, errors } = at as { cause?: unknown; errors?: unknown };
      for (const error of Array.isArray(errors) ? errors.slice(0, longestChain) : []) {
        if (isObject(error)) redactData(error, secrets);
      }
      at = inner;
    }
    return cause;
  } catch {
    return new Error(redact(messageOf(cause), secrets));
  }
}

function redactData(link: object, secrets: readonly string[]): void {
  const { data } = link as { data?: unknown };
  if (typeof data !== 'string' && !isObject(data)) return;
  const value = typeof data === 'string' ? redact(data, secrets) : redactObject(data, secrets);
  Object.defineProperty(link, 'data', {
    value: typeof value === 'string' ? value.slice(0, maxDataLength) : value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** A cycle throws, and the cause is replaced. */
function redactObject(data: object, secrets: readonly string[]): unknown {
  if (data instanceof Uint8Array) return redact(Buffer.from(data).toString('utf8'), secrets);
  const text = redact(JSON.stringify(data), secrets);
  return text.length > maxDataLength ? text : (JSON.parse(text) as unknown);
}

/** A cause can be any value, and a getter of it can throw. */
function messageOf(cause: unknown): string {
  try {
    const { message } = Object(cause) as { message?: unknown };
    return String(message ?? cause).slice(0, 200);
  } catch {
    return 'a value that has no message';
  }
}

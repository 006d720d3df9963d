/** Describes a refused value in a message: short, on one line, and without the login of a URL. */

import { isDate, isPromise } from 'node:util/types';
import { escapeCharacter } from '../../errors/escape-invisible.js';
import { isPlainObject } from '../../json.js';

const excerptLength = 60;

/** A refused value in words. Never call it with a secret. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'bigint') return `${truncated(value.toString())}n`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === undefined || value === null) return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (isDate(value)) return 'a Date';
  if (isPromise(value)) return 'a Promise';
  try {
    if (Array.isArray(value)) return 'an array';
    return isPlainObject(value) ? 'an object' : 'an instance of a class';
  } catch {
    return 'an object that cannot be read'; // a revoked Proxy
  }
}

/** The message of a value that is missing or not `what`. */
export function expectedMessage(what: string, value: unknown): string {
  return value === undefined
    ? `is required: it must be ${what}`
    : `must be ${what}; received ${describeValue(value)}`;
}

/** A string in double quotes, truncated; invisible characters become escapes. */
export function quote(text: string): string {
  const shown = truncated(withoutCredentials(text));
  return JSON.stringify(shown).replace(/(?! )[\p{C}\p{Z}]/gu, escapeCharacter);
}

function truncated(text: string): string {
  return text.length > excerptLength ? `${text.slice(0, excerptLength)}…` : text;
}

/** Keeps the password of `https://user:password@host` out of messages, which end in logs. */
function withoutCredentials(text: string): string {
  return text.includes('@') ? `…${text.slice(text.lastIndexOf('@'))}` : text;
}

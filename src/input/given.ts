/** How a refused value is shown: bounded, on one line, without the user name and password of an address. */

import { isDate } from 'node:util/types';
import { isPlainObject } from './plain-object.js';

const EXCERPT_LENGTH = 60;

/** A refused value in words, for the end of a message. Never call it with a secret. */
export function given(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'bigint') return `${shortened(value.toString())}n`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === undefined || value === null) return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (isDate(value)) return 'a Date';
  if (Array.isArray(value)) return 'an array';
  return isPlainObject(value) ? 'an object' : 'an instance of a class';
}

/** What a value must be, and what it was. */
export function expected(what: string, value: unknown): string {
  return value === undefined
    ? `is required: it must be ${what}`
    : `must be ${what}; ${given(value)} was given`;
}

/** A string in double quotes, shortened. What cannot be seen is written as an escape. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(withoutUser(text))).replace(
    /(?! )[\p{C}\p{Z}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

function shortened(text: string): string {
  return text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text;
}

/** An address may hold a password, as in `https://user:password@host`; logs are no place for it. */
function withoutUser(text: string): string {
  return text.includes('@') ? `…${text.slice(text.lastIndexOf('@'))}` : text;
}

/** Describes a refused value in a message: short, on one line, and without the login of a URL. */

import { describe } from '../../core/schema/must.js';
import { mustBe } from '../../core/schema/records.js';
import { escapeCharacter } from '../../core/errors/escape-invisible.js';
import { excerpt } from '../errors/invalid-request-error.js';

const excerptLength = 60;

/** A refused value in words. Never call it with a secret. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'bigint') return `${excerpt(value.toString(), excerptLength)}n`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return describe(value);
}

/** The rule of a value that is no secret: its message shows what was received. */
export function expected(what: string) {
  return mustBe(what, describeValue);
}

/** A string in double quotes, truncated; invisible characters become escapes. */
export function quote(text: string): string {
  const shown = excerpt(withoutCredentials(text), excerptLength);
  return JSON.stringify(shown).replace(/(?! )[\p{C}\p{Z}]/gu, escapeCharacter);
}

/** Keeps the password of `https://user:password@host` out of messages, which end in logs. */
function withoutCredentials(text: string): string {
  return text.includes('@') ? `…${text.slice(text.lastIndexOf('@'))}` : text;
}

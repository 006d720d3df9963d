/** findSurplus: what a file, a page or a vault has left around a key id or a secret. */

import { isRecord, parseJson } from './json.js';

/** In words that follow "has"; undefined if nothing shows. It repeats nothing of the text. */
export function findSurplus(text: string): string | undefined {
  if (text !== text.trim()) {
    return "leading or trailing white space, such as a file's last line break";
  }
  if (/^[\p{Cc}\p{Cf}]|[\p{Cc}\p{Cf}]$/u.test(text)) {
    return 'an invisible character before or after it, as text copied from a web page has';
  }
  if (/^(["'`]).*\1$|^[“„‘].*[”“’]$/s.test(text)) {
    return 'quotation marks around it, as from an .env file';
  }
  if (isRecord(parseJson(text))) {
    return 'JSON around it, as a secrets manager keeps it. Pass the value inside';
  }
  // Docker takes the whole line of an --env-file for the value.
  return /\s#/.test(text) ? 'a comment after it, as from an .env file' : undefined;
}

/** `escapeInvisible`: text of a response or an input that may be shown in a terminal and a log. */

/** Control and format characters (bidi marks, zero-width ones), lone surrogates, line separators. */
export const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A line break forges a log line, ESC moves a cursor, bidi marks reorder what is read. */
export function escapeInvisible(text: string): string {
  return text.replace(invisible, escapeCharacter);
}

/** The character as an escape, such as `\u{1b}`. */
export function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

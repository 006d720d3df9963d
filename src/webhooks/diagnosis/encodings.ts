/** Conversions between text and bytes that the candidates need, none of which throws. */

export type Bytes = Uint8Array<ArrayBuffer>;

/** The UTF-8 bytes of a text. */
export function utf8Bytes(text: string): Bytes {
  return new TextEncoder().encode(text);
}

/** One byte for each character; undefined when a character needs more. */
export function latin1Bytes(text: string): Bytes | undefined {
  const codes = Array.from(text, (char) => char.codePointAt(0) ?? 0);
  return codes.every((code) => code <= 0xff) ? Uint8Array.from(codes) : undefined;
}

/** One character for each byte. */
export function latin1Text(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

/** The bytes of base64 or base64url; undefined when the text is neither. */
export function base64Bytes(text: string): Bytes | undefined {
  if (!/^[A-Za-z0-9+/_-]{2,}={0,2}$/.test(text)) return undefined;
  try {
    return latin1Bytes(atob(text.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return undefined;
  }
}

/** Bytes as base64. */
export function base64Text(bytes: Uint8Array): string {
  return btoa(latin1Text(bytes));
}

/** The bytes of hexadecimal; undefined when the text is not hexadecimal. */
export function hexBytes(text: string): Bytes | undefined {
  if (!/^(?:[0-9A-Fa-f]{2})+$/.test(text)) return undefined;
  return Uint8Array.from({ length: text.length / 2 }, (_, at) =>
    Number.parseInt(text.slice(2 * at, 2 * at + 2), 16),
  );
}

/** Bytes as lower-case hexadecimal. */
export function hexText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

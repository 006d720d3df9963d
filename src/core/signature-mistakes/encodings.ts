/** Conversions between text and bytes that the mistakes need, none of which throws. */

export type Bytes = Uint8Array<ArrayBuffer>;

/** One byte for each character; undefined if a character needs more. */
export function latin1Bytes(text: string): Bytes | undefined {
  return /^[\0-\u00ff]*$/.test(text) ? Buffer.from(text, 'latin1') : undefined;
}

/** The bytes of base64 or base64url; undefined if the text is neither. */
export function base64Bytes(text: string): Bytes | undefined {
  const characters = /^([A-Za-z0-9+/_-]{2,})={0,2}$/.exec(text)?.[1];
  // One character alone has 6 bits, which is not a byte.
  if (characters === undefined || characters.length % 4 === 1) return undefined;
  return Buffer.from(characters, 'base64');
}

/** The bytes of hexadecimal; undefined if the text is not hexadecimal. */
export function hexBytes(text: string): Bytes | undefined {
  return /^(?:[0-9A-Fa-f]{2})+$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

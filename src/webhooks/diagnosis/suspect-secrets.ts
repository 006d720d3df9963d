/** The keys that the service may sign with, when the secret here is not spelt as it was registered. */

import type { Suspect } from './suspect.js';

const AS_REGISTERED = 'The service takes the UTF-8 bytes of the secret as it was registered.';

/** The forms of a secret that are usually mixed up. None of the texts repeats the secret. */
export function suspectSecrets(secret: string): Suspect<string | Uint8Array>[] {
  const suspects: Suspect<string | Uint8Array>[] = [];
  const suspect = (value: string | Uint8Array | undefined, why: string) => {
    // An empty key matches what anybody can sign: that is no explanation.
    if (value !== undefined && value.length > 0 && value !== secret) suspects.push({ value, why });
  };

  const fix = 'Remove it where the secret is read: a file or a copied line often has some.';
  suspect(secret.trim(), `The secret has white space around it. ${fix}`);
  suspect(unquoted(secret.trim()), 'The secret has quotation marks around it. Remove them.');
  for (const end of ['\n', '\r\n', ' ']) {
    suspect(
      `${secret}${end}`,
      'The webhook was registered with white space after the secret. Register it again without.',
    );
  }
  suspect(
    bytesOfBase64(secret),
    `The secret here is base64 of the one that was registered. ${AS_REGISTERED}`,
  );
  suspect(
    base64(secret),
    `The webhook was registered with the base64 of the secret here. ${AS_REGISTERED}`,
  );
  suspect(
    bytesOfHex(secret),
    `The secret here is hexadecimal of the one that was registered. ${AS_REGISTERED}`,
  );
  suspect(
    hex(secret),
    `The webhook was registered with the hexadecimal of the secret here. ${AS_REGISTERED}`,
  );
  const unprefixed = /^[a-z]+_(.+)$/s.exec(secret)?.[1];
  const prefixFix = 'The prefix is part of the secret only if the webhook was registered with it.';
  suspect(unprefixed, `The secret matches without its prefix. ${prefixFix}`);
  suspect(
    unprefixed === undefined ? undefined : bytesOfBase64(unprefixed),
    `The secret matches without its prefix and decoded from base64. ${AS_REGISTERED}`,
  );
  // Before latin1: a misread secret is made of latin1 characters too.
  suspect(
    misread(secret),
    'The secret was read as latin1, though it is UTF-8: read its file or variable as UTF-8.',
  );
  suspect(
    latin1(secret),
    `The secret was registered in latin1, or read here in another encoding. ${AS_REGISTERED}`,
  );
  for (const form of ['NFC', 'NFD'] as const) {
    suspect(
      secret.normalize(form),
      `The secret was registered in the Unicode form ${form} and is spelt in another here.`,
    );
  }
  suspect(urlDecoded(secret), 'The secret here is URL-encoded. Decode it.');
  return suspects;
}

function unquoted(secret: string): string | undefined {
  return /^(["'`])(.+)\1$/s.exec(secret)?.[2];
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function base64(text: string): string {
  return btoa(Array.from(utf8(text), (byte) => String.fromCharCode(byte)).join(''));
}

function hex(text: string): string {
  return Array.from(utf8(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function bytesOfBase64(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9+/_-]{2,}={0,2}$/.test(text)) return undefined;
  try {
    return latin1(atob(text.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return undefined;
  }
}

function bytesOfHex(text: string): Uint8Array | undefined {
  if (!/^(?:[0-9A-Fa-f]{2})+$/.test(text)) return undefined;
  return Uint8Array.from({ length: text.length / 2 }, (_, at) =>
    Number.parseInt(text.slice(2 * at, 2 * at + 2), 16),
  );
}

/** One byte for each character, or nothing where a character needs more. */
function latin1(text: string): Uint8Array | undefined {
  const codes = Array.from(text, (char) => char.codePointAt(0) ?? 0);
  return codes.every((code) => code <= 0xff) ? Uint8Array.from(codes) : undefined;
}

/** The text whose UTF-8 bytes were taken for latin1 characters. */
function misread(text: string): string | undefined {
  const bytes = latin1(text);
  if (bytes?.every((byte) => byte < 0x80) !== false) return undefined;
  const decoded = new TextDecoder().decode(bytes);
  return decoded.includes('\uFFFD') ? undefined : decoded;
}

function urlDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

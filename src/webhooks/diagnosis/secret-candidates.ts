/** The keys that the service may sign with if the secret here is not the registered text. */

import type { Candidate } from './candidate.js';
import { base64Bytes, base64Text, hexBytes, hexText, latin1Bytes, utf8Bytes } from './encodings.js';

const asRegistered = 'The service takes the UTF-8 bytes of the secret as it was registered.';

/** The forms of a secret that are often confused. No explanation repeats the secret. */
export function secretCandidates(secret: string): Candidate<string | Uint8Array>[] {
  const candidates: Candidate<string | Uint8Array>[] = [];
  const add = (value: string | Uint8Array | undefined, explanation: string) => {
    // Anyone can sign with an empty key, so a match would explain nothing.
    if (value !== undefined && value.length > 0 && value !== secret)
      candidates.push({ value, explanation });
  };

  const fix = 'Remove it where the secret is read: files and copied lines often have some.';
  add(secret.trim(), `The secret has leading or trailing white space. ${fix}`);
  add(unquoted(secret.trim()), 'The secret has quotation marks around it. Remove them.');
  for (const end of ['\n', '\r\n', ' ']) {
    add(
      `${secret}${end}`,
      'The webhook was registered with white space after the secret. Register it again without.',
    );
  }
  add(
    base64Bytes(secret),
    `The secret here is base64 of the one that was registered. ${asRegistered}`,
  );
  add(
    base64Text(utf8Bytes(secret)),
    `The webhook was registered with the base64 of the secret here. ${asRegistered}`,
  );
  add(
    hexBytes(secret),
    `The secret here is hexadecimal of the one that was registered. ${asRegistered}`,
  );
  add(
    hexText(utf8Bytes(secret)),
    `The webhook was registered with the hexadecimal of the secret here. ${asRegistered}`,
  );
  const unprefixed = /^[a-z]+_(.+)$/s.exec(secret)?.[1];
  const prefixFix = 'The prefix is part of the secret only if the webhook was registered with it.';
  add(unprefixed, `The secret matches without its prefix. ${prefixFix}`);
  add(
    unprefixed === undefined ? undefined : base64Bytes(unprefixed),
    `The secret matches without its prefix and decoded from base64. ${asRegistered}`,
  );
  // Before latin1Bytes: a secret decoded as latin1 has only latin1 characters too.
  add(
    decodedAsLatin1(secret),
    'The secret was read as latin1, though it is UTF-8: read its file or variable as UTF-8.',
  );
  add(
    latin1Bytes(secret),
    `The secret was registered in latin1, or read here in another encoding. ${asRegistered}`,
  );
  for (const form of ['NFC', 'NFD'] as const) {
    add(
      secret.normalize(form),
      `The secret was registered in the Unicode form ${form} but the one here is in another.`,
    );
  }
  add(urlDecoded(secret), 'The secret here is URL-encoded. Decode it.');
  return candidates;
}

function unquoted(secret: string): string | undefined {
  return /^(["'`])(.+)\1$/s.exec(secret)?.[2];
}

/** The original text, if its UTF-8 bytes were decoded as latin1. */
function decodedAsLatin1(text: string): string | undefined {
  const bytes = latin1Bytes(text);
  if (bytes?.every((byte) => byte < 0x80) !== false) return undefined;
  const decoded = Buffer.from(bytes).toString('utf8');
  return decoded.includes('\uFFFD') ? undefined : decoded;
}

function urlDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

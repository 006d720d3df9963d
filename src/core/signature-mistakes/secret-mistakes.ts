/** The keys that one side may sign with while the other takes the text of the secret as it is. */

import type { Candidate } from './candidate.js';
import { isRecord, parseJson } from '../../core/json.js';
import { base64Bytes, hexBytes, latin1Bytes } from './encodings.js';

/** The forms of a secret that are often confused. No explanation, half a sentence, repeats the secret. */
export function secretCandidates(secret: string): Candidate<string | Uint8Array>[] {
  const trimmed = secret.replace(/^[\s\p{Cc}\p{Cf}]+|[\s\p{Cc}\p{Cf}]+$/gu, '');
  const json = parseJson(secret);
  const unprefixed = /^[a-z]+_(.+)$/s.exec(secret)?.[1];
  const keys: readonly (readonly [key: string | Uint8Array | undefined, explanation: string])[] = [
    [trimmed, 'the secret without the white space around it'],
    [
      /^["'`“„‘](.+)["'`”“’]$/s.exec(trimmed)?.[1],
      'the secret without the quotation marks around it',
    ],
    [/^(.*?)\s+#/s.exec(trimmed)?.[1], 'the secret without the comment after it'],
    ...Object.values(isRecord(json) ? json : {}).flatMap((value) =>
      typeof value === 'string'
        ? [[value, 'a value inside the secret, which is JSON'] as const]
        : [],
    ),
    [`${secret}\n`, 'the secret with a newline at its end'],
    [`${secret}\r\n`, 'the secret with a newline at its end'],
    [`${secret} `, 'the secret with a space at its end'],
    [` ${secret}`, 'the secret with a space before it'],
    [`"${secret}"`, 'the secret with quotation marks around it'],
    [base64Bytes(secret), 'the secret decoded from base64'],
    [Buffer.from(secret).toString('base64'), 'the secret in base64'],
    [hexBytes(secret), 'the secret decoded from hexadecimal'],
    [Buffer.from(secret).toString('hex'), 'the secret in hexadecimal'],
    [unprefixed, 'the secret without its prefix'],
    [base64Bytes(unprefixed ?? ''), 'the secret without its prefix, decoded from base64'],
    // Before latin1Bytes: a secret decoded as latin1 has only latin1 characters too.
    [decodedAsLatin1(secret), 'the secret read as UTF-8, not as latin1'],
    [latin1Bytes(secret), 'the secret in latin1, not in UTF-8'],
    [secret.normalize('NFC'), 'the secret in the Unicode form NFC'],
    [secret.normalize('NFD'), 'the secret in the Unicode form NFD'],
    [urlDecoded(secret), 'the secret after URL-decoding it'],
  ];
  return keys.flatMap(([value, explanation]) =>
    // Anyone can sign with an empty key, so a match would explain nothing.
    value === undefined || value.length === 0 || value === secret ? [] : [{ value, explanation }],
  );
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

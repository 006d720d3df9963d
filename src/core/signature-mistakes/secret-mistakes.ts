/** secretMistakes: the keys that one side may sign with while the other takes the text of the secret as it is. */

import { isRecord, parseJson } from '../json.js';
import { percentDecoded } from '../parse-url.js';
import { base64Bytes, hexBytes, latin1Bytes } from './encodings.js';
import type { SignatureMistake } from './mistake.js';

export const keyRule =
  'The key is the text of the secret in UTF-8, exactly as it was issued or registered.';

/** The forms of a secret that are often confused. */
export function secretMistakes(secret: string): SignatureMistake<string | Uint8Array>[] {
  const trimmed = secret.replace(/^[\s\p{Cc}\p{Cf}]+|[\s\p{Cc}\p{Cf}]+$/gu, '');
  const json = parseJson(secret);
  const unprefixed = /^[a-z]+_(.+)$/s.exec(secret)?.[1];
  const keys: readonly (readonly [what: string, key: string | Uint8Array | undefined])[] = [
    ['the secret without the white space around it', trimmed],
    [
      'the secret without the quotation marks around it',
      /^["'`“„‘](.+)["'`”“’]$/s.exec(trimmed)?.[1],
    ],
    ['the secret without the comment after it', /^(.*?)\s+#/s.exec(trimmed)?.[1]],
    ...Object.values(isRecord(json) ? json : {}).flatMap((value) =>
      typeof value === 'string'
        ? [['a value inside the secret, which is JSON', value] as const]
        : [],
    ),
    ['the secret with a newline at its end', `${secret}\n`],
    ['the secret with a newline at its end', `${secret}\r\n`],
    ['the secret with a space at its end', `${secret} `],
    ['the secret with a space before it', ` ${secret}`],
    ['the secret with quotation marks around it', `"${secret}"`],
    ['the secret decoded from base64', base64Bytes(secret)],
    ['the secret in base64', Buffer.from(secret).toString('base64')],
    ['the secret decoded from hexadecimal', hexBytes(secret)],
    ['the secret in hexadecimal', Buffer.from(secret).toString('hex')],
    ['the secret without its prefix', unprefixed],
    ['the secret without its prefix, decoded from base64', base64Bytes(unprefixed ?? '')],
    // Before latin1Bytes: a secret decoded as latin1 has only latin1 characters too.
    ['the secret read as UTF-8, not as latin1', decodedAsLatin1(secret)],
    ['the secret in latin1, not in UTF-8', latin1Bytes(secret)],
    ['the secret in the Unicode form NFC', secret.normalize('NFC')],
    ['the secret in the Unicode form NFD', secret.normalize('NFD')],
    ['the secret after URL-decoding it', percentDecoded(secret)],
  ];
  return keys.flatMap(([what, wrong]) =>
    // Anyone can sign with an empty key, so a match would explain nothing.
    wrong === undefined || wrong.length === 0 || wrong === secret
      ? []
      : [{ sentence: `It was signed with ${what}. ${keyRule}`, wrong }],
  );
}

/** The original text, if its UTF-8 bytes were decoded as latin1. */
function decodedAsLatin1(text: string): string | undefined {
  const bytes = latin1Bytes(text);
  if (bytes?.every((byte) => byte < 0x80) !== false) return undefined;
  const decoded = Buffer.from(bytes).toString('utf8');
  return decoded.includes('\uFFFD') ? undefined : decoded;
}

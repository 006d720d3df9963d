/** The digests that a signature header may mean, though it is not written as the service writes it. */

import type { Suspect } from './suspect.js';

const HEX = /^[0-9a-f]{64}$/;

/** The digests in lower-case hexadecimal, each with what is wrong with its form. */
export function suspectSignatures(values: readonly string[]): Suspect<string>[] {
  const parts = values.flatMap((value) => value.split(','));
  const repeated =
    parts.length > 1
      ? `X-Market-Signature holds ${parts.length} values; the service sends one.`
      : '';
  return parts.flatMap((part) => {
    const read = readDigest(part);
    if (read === undefined) return [];
    return [{ value: read.value, why: [repeated, read.why].filter((why) => why !== '').join(' ') }];
  });
}

function readDigest(part: string): Suspect<string> | undefined {
  const whys: string[] = [];
  let text = part.trim().replace(/^"(.*)"$/, '$1');
  if (text !== part) whys.push('X-Market-Signature has white space or quotes around it.');

  const prefix = /^(?:v\d|sha256|hmac-sha256)[=:]/i.exec(text)?.[0];
  if (prefix !== undefined) {
    text = text.slice(prefix.length);
    whys.push(
      `X-Market-Signature has the prefix ${prefix} and the service sends none for webhooks: ` +
        'v1= belongs to API requests. Sign with signWebhook(), or see what adds the prefix.',
    );
  }
  if (!HEX.test(text) && HEX.test(text.toLowerCase())) {
    text = text.toLowerCase();
    whys.push('X-Market-Signature is in upper case; the service sends lower case.');
  }
  if (!HEX.test(text)) {
    const digest = hexOfBase64(text);
    if (digest === undefined) return undefined;
    text = digest;
    whys.push('X-Market-Signature is in base64; the service sends hexadecimal.');
  }
  return { value: text, why: whys.join(' ') };
}

/** The 32 bytes of a digest in base64 or base64url, as hexadecimal. */
function hexOfBase64(text: string): string | undefined {
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Array.from(binary, (char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

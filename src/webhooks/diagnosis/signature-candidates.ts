/** The digests that a signature header may contain if it is not in the form that the service sends. */

import type { Candidate } from './candidate.js';
import { base64Bytes, hexText } from './encodings.js';

/** A header that was sent several times has a few values; ignore what a sender adds beyond that. */
const maxParts = 16;

const hexDigest = /^[0-9a-f]{64}$/;

/** The digests in lower-case hexadecimal, each with an explanation of what is wrong with its form. */
export function signatureCandidates(values: readonly string[]): Candidate<string>[] {
  const parts = values.flatMap((value) => value.split(',')).slice(0, maxParts);
  const repeated =
    parts.length > 1
      ? `X-Market-Signature holds ${parts.length} values; the service sends one.`
      : '';
  return parts.flatMap((part) => {
    const digest = readDigest(part);
    if (digest === undefined) return [];
    const explanation = [repeated, digest.explanation].filter((text) => text !== '').join(' ');
    return [{ value: digest.value, explanation }];
  });
}

function readDigest(part: string): Candidate<string> | undefined {
  const explanations: string[] = [];
  let text = part.trim().replace(/^"(.*)"$/, '$1');
  if (text !== part) explanations.push('X-Market-Signature has white space or quotes around it.');

  const prefix = /^(?:v\d|sha256|hmac-sha256)[=:]/i.exec(text)?.[0];
  if (prefix !== undefined) {
    text = text.slice(prefix.length);
    explanations.push(
      `X-Market-Signature has the prefix ${prefix} and the service sends none for webhooks: ` +
        'v1= belongs to API requests. Sign with signWebhook(), or find out what adds the prefix.',
    );
  }
  if (!hexDigest.test(text) && hexDigest.test(text.toLowerCase())) {
    text = text.toLowerCase();
    explanations.push('X-Market-Signature is in upper case; the service sends lower case.');
  }
  if (!hexDigest.test(text)) {
    const digest = hexOfBase64(text);
    if (digest === undefined) return undefined;
    text = digest;
    explanations.push('X-Market-Signature is in base64; the service sends hexadecimal.');
  }
  return { value: text, explanation: explanations.join(' ') };
}

/** The 32 bytes of a digest in base64 or base64url, as hexadecimal. */
function hexOfBase64(text: string): string | undefined {
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const bytes = base64Bytes(text);
  return bytes === undefined ? undefined : hexText(bytes);
}

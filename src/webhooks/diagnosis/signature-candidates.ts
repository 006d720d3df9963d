/** The digests that a signature header may contain if it is not in the form that the service sends. */

import type { Candidate } from './candidate.js';

/** A header that was sent several times has a few values; ignore what a sender adds beyond that. */
const maxParts = 16;

/** The digests in lower-case hexadecimal, each with an explanation of what is wrong with its form. */
export function signatureCandidates(values: readonly string[]): Candidate<string>[] {
  const parts = values.flatMap((value) => value.split(',')).slice(0, maxParts);
  const repeated =
    parts.length > 1
      ? `X-Market-Signature holds ${parts.length} values; the service sends one.`
      : '';
  return parts.flatMap((part) => {
    const digest = readDigest(part.trim().replace(/^"(.*)"$/, '$1'));
    if (digest === undefined) return [];
    const wrong = [
      repeated,
      digest.text === part ? '' : 'X-Market-Signature has white space or quotes around it.',
      digest.prefix === ''
        ? ''
        : `X-Market-Signature has the prefix ${digest.prefix} and the service sends none for webhooks: ` +
          'v1= belongs to API requests. Sign with signWebhook(), or find out what adds the prefix.',
      digest.form === 'upper case'
        ? 'X-Market-Signature is in upper case; the service sends lower case.'
        : '',
      digest.form === 'base64'
        ? 'X-Market-Signature is in base64; the service sends hexadecimal.'
        : '',
    ];
    return [{ value: digest.hex, explanation: wrong.filter((each) => each !== '').join(' ') }];
  });
}

/** A SHA-256 digest as a header may hold it. */
interface Digest {
  readonly text: string;
  /** For example `v1=`; empty if there is none. */
  readonly prefix: string;
  readonly form: 'lower case' | 'upper case' | 'base64';
  /** In lower case. */
  readonly hex: string;
}

/** Reads a digest with any prefix, in hexadecimal, base64 or base64url; undefined if it is none. */
export function readDigest(text: string): Digest | undefined {
  const prefix = /^(?:v\d+|sha256|hmac-sha256)[=:]/i.exec(text)?.[0] ?? '';
  const bare = text.slice(prefix.length);
  const known = { text, prefix };
  if (/^[0-9a-f]{64}$/.test(bare)) return { ...known, form: 'lower case', hex: bare };
  if (/^[0-9a-f]{64}$/i.test(bare)) {
    return { ...known, form: 'upper case', hex: bare.toLowerCase() };
  }
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(bare)) return undefined;
  return { ...known, form: 'base64', hex: Buffer.from(bare, 'base64').toString('hex') };
}

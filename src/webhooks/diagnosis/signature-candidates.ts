/** The digests that a signature header may contain if it is not in the form that the service sends. */

import { readDigest } from '../../core/signature-mistakes/digest.js';
import type { SignatureMistake } from '../../core/signature-mistakes/mistake.js';

/** A header that was sent several times has a few values; ignore what a sender adds beyond that. */
const maxParts = 16;

/** The digests in lower-case hexadecimal, each with an explanation of what is wrong with its form. */
export function signatureCandidates(values: readonly string[]): SignatureMistake<string>[] {
  const parts = values.flatMap((value) => value.split(',')).slice(0, maxParts);
  const repeated =
    parts.length > 1
      ? `X-Market-Signature holds ${parts.length} values; the service sends one.`
      : '';
  return parts.flatMap((part) => {
    const digest = readDigest(part.trim().replace(/^"(.*)"$/, '$1'));
    if (digest === undefined) return [];
    const forms = [
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
    return [{ wrong: digest.hex, sentence: forms.filter((each) => each !== '').join(' ') }];
  });
}

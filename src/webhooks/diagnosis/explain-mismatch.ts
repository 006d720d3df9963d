/** Why a delivery does not verify: tries the usual mistakes and says which of them would have matched. */

import { nodeCrypto } from '../node-crypto.js';
import { hashableBody, type RawBody } from '../raw-body.js';
import { secretStrings, type WebhookSecret } from '../secrets.js';
import { signatureValues, type WebhookSignature } from '../signature-header.js';
import { WebhookVerificationError } from '../verification-error.js';
import { suspectBodies } from './suspect-bodies.js';
import { suspectSecrets } from './suspect-secrets.js';
import { suspectSignatures } from './suspect-signatures.js';

/** Every suspect costs one hash of the body; beyond this, a delivery is not an event anyway. */
const MOST_BYTES = 256 * 1024;

/**
 * Says why a signature does not match, by trying what usually goes wrong: a newline or a byte order
 * mark that came or went, JSON that was written again, base64, text in the wrong encoding, a secret
 * with white space or in another encoding, a signature with a prefix or in another form.
 *
 * For your log while you set a receiver up, never for the answer to the sender: it costs some
 * hundred hashes, so leave it off in production. The text repeats neither the secret nor the right
 * signature. It never throws.
 *
 * @param rawBody - What was handed to `verifyWebhook`. Over 256 KiB nothing is tried.
 * @param signature - The value of X-Market-Signature, or the headers that hold it.
 * @param secret - The secret, or several.
 * @returns One or more sentences.
 * @see specification, part 6
 * @example
 * ```ts
 * import { explainWebhookMismatch, signWebhook } from 'market-partner-sdk/webhooks';
 *
 * const signature = signWebhook('{"id":"evt_1"}', 'whsec_public');
 * console.log(explainWebhookMismatch('{"id":"evt_1"}\n', signature, 'whsec_public'));
 * // The signature belongs to the body without the newline at its end. ...
 * ```
 */
export function explainWebhookMismatch(
  rawBody: RawBody,
  signature: WebhookSignature,
  secret: WebhookSecret,
): string {
  // A runtime that cannot hash explains nothing, and that is not the delivery's fault.
  nodeCrypto();
  try {
    return explain(rawBody, signature, secret);
  } catch (error) {
    return error instanceof WebhookVerificationError
      ? error.message
      : 'The delivery cannot be explained: reading it failed.';
  }
}

function explain(rawBody: unknown, signature: unknown, secret: unknown): string {
  const secrets = secretStrings(secret);
  const body = bytesOf(hashableBody(rawBody));
  if (body.byteLength > MOST_BYTES) {
    return `The body has ${body.byteLength} bytes. Events have a few hundred; nothing was tried.`;
  }
  const values = signatureValues(signature);
  if (values.length === 0) return 'There is no X-Market-Signature, so there is nothing to match.';
  const signatures = suspectSignatures(values);
  if (signatures.length === 0) {
    return (
      'X-Market-Signature is no SHA-256 in hexadecimal or base64, so no body can match it. ' +
      'The service sends 64 lower-case hexadecimal characters.'
    );
  }

  for (const [why, digest] of candidates(body, secrets)) {
    const match = signatures.find(({ value }) => value === digest);
    if (match === undefined) continue;
    const whys = [match.why, why].filter((each) => each !== '');
    return whys.length === 0
      ? 'The signature matches: there is nothing to explain.'
      : whys.join(' ');
  }
  return unexplained(body);
}

/** One fault at a time in the body or the secret; the form of the signature may be wrong besides. */
function* candidates(
  body: Uint8Array<ArrayBuffer>,
  secrets: readonly string[],
): Generator<[why: string, digest: string]> {
  for (const each of secrets) yield ['', digestOf(body, each)];
  for (const { value, why } of suspectBodies(body)) {
    for (const each of secrets) yield [why, digestOf(value, each)];
  }
  for (const each of secrets) {
    for (const { value, why } of suspectSecrets(each)) yield [why, digestOf(body, value)];
  }
}

function digestOf(body: Uint8Array, secret: string | Uint8Array): string {
  return nodeCrypto().createHmac('sha256', secret).update(body).digest('hex');
}

function bytesOf(body: Uint8Array<ArrayBuffer> | string): Uint8Array<ArrayBuffer> {
  return typeof body === 'string' ? new TextEncoder().encode(body) : body;
}

function unexplained(body: Uint8Array): string {
  if (body.byteLength === 0) {
    return 'The body is empty: something else has read it, or only the headers were forwarded.';
  }
  const lost = new TextDecoder().decode(body).includes('\uFFFD')
    ? ' It holds replacement characters or invalid UTF-8: bytes were probably lost when it was decoded as text.'
    : '';
  const sum = nodeCrypto().createHash('sha256').update(body).digest('hex');
  return (
    'Nothing that was tried would have matched: newlines, a byte order mark, JSON written again, ' +
    'base64, encodings of text, and other forms of the secret and the signature. The secret is ' +
    'probably another one than the webhook was registered with, or the delivery is not from the ' +
    `service. The body has ${body.byteLength} bytes and the SHA-256 ${sum}.${lost}`
  );
}

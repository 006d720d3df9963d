/** explainWebhookMismatch: tries the usual mistakes and says which one would have matched. */

import { isRecord, parseJson } from '../../core/json.js';
import { bodyMistakes } from '../../core/signature-mistakes/body-mistakes.js';
import type { Bytes } from '../../core/signature-mistakes/encodings.js';
import { secretMistakes } from '../../core/signature-mistakes/secret-mistakes.js';
import { hmac, nodeCrypto } from '../node-crypto.js';
import { toRawBody, type RawBody } from '../raw-body.js';
import { secretStrings, type WebhookSecret } from '../secrets.js';
import {
  isRawHeaders,
  missingSignature,
  signatureValues,
  type WebhookSignature,
} from '../signature-header.js';
import { WebhookVerificationError } from '../verification-error.js';
import { signatureCandidates } from './signature-candidates.js';
import { visibleCause } from './visible-cause.js';

/** Larger than any event. Each candidate costs a hash of the whole body. */
const maxExplainedBytes = 256 * 1024;

/** The service waits 5 seconds for a response; diagnosing must leave most of them. */
const maxMs = 1_000;

/**
 * Says why a signature does not match, by trying what usually goes wrong: a newline or a byte order
 * mark that was added or removed, JSON that was serialized again, base64, text in the wrong encoding, a
 * secret with white space or in another encoding, a signature with a prefix or in another form.
 *
 * Log the result while you set up a receiver, and never send it to the sender. It computes a few
 * hundred hashes, so do not call it in production. It stops after one second. The text repeats neither
 * the secret nor the right signature. It never throws, unless `node:crypto` is missing.
 *
 * @param rawBody - the body as passed to `verifyWebhook`; over 256 KiB nothing is tried
 * @param signature - the value of X-Market-Signature, or the headers that hold it
 * @param secret - the secret, or several
 * @returns one or more sentences
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
  // Load node:crypto first: a missing module must throw, not be explained as a mismatch.
  nodeCrypto();
  try {
    return explain(rawBody, signature, secret);
  } catch (error) {
    return messageOf(error);
  }
}

/** Even inspecting what was thrown can throw: a getter of the caller's headers may throw a proxy. */
function messageOf(error: unknown): string {
  try {
    if (error instanceof WebhookVerificationError) return error.message;
  } catch {
    // Nothing more is known than the sentence below.
  }
  return 'The delivery cannot be explained, because reading it failed.';
}

function explain(rawBody: unknown, signature: unknown, secret: unknown): string {
  const secrets = secretStrings(secret);
  const rawBytesOrText = toRawBody(rawBody);
  const body = typeof rawBytesOrText === 'string' ? Buffer.from(rawBytesOrText) : rawBytesOrText;
  if (body.byteLength > maxExplainedBytes) {
    return `The body has ${body.byteLength} bytes. Events have a few hundred; nothing was tried.`;
  }
  const values = signatureValues(signature);
  if (values.length === 0) return `${missingSignature(signature)} There is nothing to match.`;
  if (isRawHeaders(values)) return missingSignature(signature);
  const signatures = signatureCandidates(values);
  if (signatures.length === 0) {
    return (
      'X-Market-Signature is not a SHA-256 digest in hexadecimal or base64, so no body can match it. ' +
      'The service sends 64 lower-case hexadecimal characters.'
    );
  }

  const endMs = performance.now() + maxMs;
  for (const [explanation, digest] of candidates(body, secrets)) {
    const match = signatures.find(({ wrong }) => wrong === digest);
    if (match === undefined && performance.now() > endMs) {
      return `Not everything was tried, because the body is too complex to try all within ${maxMs} ms.`;
    }
    if (match === undefined) continue;
    const explanations = [match.sentence, explanation].filter((each) => each !== '');
    return explanations.length === 0
      ? 'The signature matches, so there is nothing to explain.'
      : explanations.join(' ');
  }
  return visibleCause(body) ?? unexplained(body);
}

/** One mistake at a time in the body or the secret; the signature's form may be wrong as well. */
function* candidates(
  body: Bytes,
  secrets: readonly string[],
): Generator<[explanation: string, digest: string]> {
  for (const each of secrets) yield ['', hmac(body, each)];
  for (const { wrong, sentence } of bodyMistakes(body)) {
    for (const each of secrets)
      yield [`${sentence} Verify the bytes as received.`, hmac(wrong, each)];
  }
  for (const each of secrets) {
    for (const { wrong, sentence } of secretMistakes(each)) yield [sentence, hmac(body, wrong)];
  }
}

function unexplained(body: Uint8Array): string {
  const text = Buffer.from(body).toString('utf8');
  const lost = text.includes('\uFFFD')
    ? ' It contains replacement characters or invalid UTF-8. Bytes were probably lost when it was decoded as text.'
    : '';
  const sum = nodeCrypto().createHash('sha256').update(body).digest('hex');
  return (
    'Nothing that was tried would have matched: newlines, a byte order mark, JSON serialized again, ' +
    'base64, encodings of text, and other forms of the secret and the signature. ' +
    `${probableCause(text)} The body has ${body.byteLength} bytes and the SHA-256 ${sum}.${lost}`
  );
}

function probableCause(text: string): string {
  const json = parseJson(text.replace(/^\uFEFF/, ''));
  if (json === undefined) {
    return 'The body begins like JSON and is none. It was cut off or changed on the way.';
  }
  if (!isRecord(json) || typeof json.id !== 'string' || typeof json.type !== 'string') {
    return 'The body is JSON, but no event. It is only a part of one, or an envelope that has the event inside.';
  }
  const again =
    JSON.stringify(json) === text
      ? ' Or it was serialized again on the way, with other numbers or members in another order: it is ' +
        'what JSON.stringify writes.'
      : '';
  return (
    'The secret is probably not the one that the webhook was registered with, or the delivery is ' +
    `not from the service.${again}`
  );
}

/**
 * Signs and verifies webhooks: HMAC-SHA256 over the raw body, in hexadecimal (specification, part 6).
 */

import { parseEvent, type ReadEvent } from './parse-event.js';
import type { MarketEvent } from './events.js';
import { visibleCause } from './diagnosis/visible-cause.js';
import { hmac, nodeCrypto } from './node-crypto.js';
import { toRawBody, type RawBytesOrText, type RawBody } from './raw-body.js';
import { secretStrings, type WebhookSecret } from './secrets.js';
import { signatureOf, type WebhookSignature } from './signature-header.js';
import { WebhookVerificationError } from './verification-error.js';
import { findSurplus } from '../core/surplus.js';

/**
 * Verifies a delivery and returns its event: the parsed JSON itself, with every field that was sent. A profile of
 * how the service differs is the client's alone: the inbox of `market-partner-sdk/durable` reads deliveries by it.
 * The signature is checked before the body is parsed, in constant time and against every secret.
 *
 * A type that this version does not know is an `UnknownEvent`, not an error. The same event may be
 * delivered more than once, always with the same `id`.
 *
 * @param rawBody - the body as received, at most 64 MiB: bytes in any view, or a string in UTF-8
 * @param signature - the value of X-Market-Signature, or the headers that hold it
 * @param secret - the secret that the webhook was registered with; several while rotating
 * @throws {@link WebhookVerificationError} and nothing else; `reason` says what is wrong
 * @see specification, part 6
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { verifyWebhook } from 'market-partner-sdk/webhooks';
 *
 * createServer(async (request, response) => {
 *   const chunks: Buffer[] = [];
 *   for await (const chunk of request) chunks.push(chunk as Buffer);
 *   try {
 *     const event = verifyWebhook(Buffer.concat(chunks), request.headers, 'whsec_public');
 *     if (event.type === 'order.settled') console.log(event.data.order.public_id);
 *     response.writeHead(200).end();
 *   } catch {
 *     response.writeHead(401).end();
 *   }
 * });
 * ```
 */
export function verifyWebhook(
  rawBody: RawBody,
  signature: WebhookSignature,
  secret: WebhookSecret,
): MarketEvent {
  return verifyWithSecrets(rawBody, signature, secretStrings(secret));
}

/**
 * Whether a signature belongs to a body: the same checks as {@link verifyWebhook} up to the
 * signature, without parsing. Nothing that a sender controls makes it throw: what is missing,
 * malformed or not raw is `false`, and so is everything under an empty secret.
 *
 * @param rawBody - the body as received, at most 64 MiB: bytes in any view, or a string in UTF-8
 * @param signature - the value of X-Market-Signature, or the headers that hold it
 * @param secret - the secret that the webhook was registered with; several while rotating
 * @see specification, part 6
 * @example
 * ```ts
 * import { isValidSignature, signWebhook } from 'market-partner-sdk/webhooks';
 *
 * const signature = signWebhook('{}', 'whsec_public');
 * console.log(isValidSignature('{}', signature, ['whsec_new', 'whsec_public'])); // true
 * ```
 */
export function isValidSignature(
  rawBody: RawBody,
  signature: WebhookSignature,
  secret: WebhookSecret,
): boolean {
  // Load node:crypto first: a missing module must throw, not look like a wrong signature.
  nodeCrypto();
  try {
    return matchesAny(toRawBody(rawBody), signatureOf(signature), secretStrings(secret));
  } catch {
    return false;
  }
}

/**
 * Signs a body as the service does, for your own tests of a receiver.
 *
 * @param rawBody - the body that will be sent, at most 64 MiB; a string is signed as UTF-8
 * @param secret - the webhook secret
 * @returns the value of X-Market-Signature: 64 lower-case hexadecimal characters
 * @throws {@link WebhookVerificationError} `body_not_raw`, `body_too_large` or `missing_secret`
 * @see specification, part 6
 * @example
 * ```ts
 * import { signWebhook } from 'market-partner-sdk/webhooks';
 *
 * const body = JSON.stringify({
 *   id: 'evt_1',
 *   type: 'brokerage.case_completed',
 *   created_at: '2026-11-21T08:00:00Z',
 *   data: {},
 * });
 * await fetch('http://127.0.0.1:3000/webhooks/market', {
 *   method: 'POST',
 *   headers: { 'X-Market-Signature': signWebhook(body, 'whsec_public') },
 *   body,
 * });
 * ```
 */
export function signWebhook(rawBody: RawBody, secret: string): string {
  const [key] = secretStrings([secret]) as readonly [string];
  return hmac(toRawBody(rawBody), key);
}

/** {@link verifyWebhook} with secrets that were checked before. */
export function verifyWithSecrets(
  rawBody: unknown,
  signature: unknown,
  secrets: readonly string[],
  read?: ReadEvent,
): MarketEvent {
  const body = toRawBody(rawBody);
  if (!matchesAny(body, signatureOf(signature), secrets)) {
    throw new WebhookVerificationError('signature_mismatch', mismatch(body, secrets));
  }
  return parseEvent(body, read);
}

/** Tries every secret: stopping at a match would reveal by timing which one it was. */
function matchesAny(body: RawBytesOrText, signature: string, secrets: readonly string[]): boolean {
  const { timingSafeEqual } = nodeCrypto();
  // Both sides have 64 bytes: timingSafeEqual throws on unequal lengths.
  const claimed = Buffer.from(signature, 'latin1');
  let matches = false;
  for (const secret of secrets) {
    const expected = hmac(body, secret);
    matches = timingSafeEqual(Buffer.from(expected, 'latin1'), claimed) || matches;
  }
  return matches;
}

function mismatch(body: RawBytesOrText, secrets: readonly string[]): string {
  const cause =
    visibleCause(body) ??
    surplusOf(secrets) ??
    'The body was probably parsed or re-encoded before it was verified, or the secret is not the one ' +
      'that the webhook was registered with.';
  return `No secret gives this signature for this body. ${cause} Call explainWebhookMismatch() for the cause.`;
}

/** The service may know the secret with it: only a comparison tells. */
function surplusOf(secrets: readonly string[]): string | undefined {
  const surplus = secrets.map(findSurplus).find((each) => each !== undefined);
  return surplus === undefined
    ? undefined
    : `The secret has ${surplus}. Compare it with the one that the webhook was registered with.`;
}

import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { Credentials, IssuedCredential } from '../credentials.js';
import type { ArrivedRequest } from '../http/exchange.js';
import { Refusal } from '../service/refusal.js';
import { canonicalLines, joinLines } from './canonical.js';
import { diagnose } from './diagnosis.js';
import type { Nonces } from './nonces.js';

const maxSkewSeconds = 300;

const signatureHeaders = [
  'x-market-key-id',
  'x-market-timestamp',
  'x-market-nonce',
  'x-market-signature',
] as const;

const spelling = {
  'x-market-key-id': 'X-Market-Key-Id',
  'x-market-timestamp': 'X-Market-Timestamp',
  'x-market-nonce': 'X-Market-Nonce',
  'x-market-signature': 'X-Market-Signature',
} as const;

/**
 * Steps 1 to 4 of "Verification by the service" (specification, part 5), in the documented order.
 *
 * @param nowMs the clock of the verifying machine, in Unix milliseconds
 * @throws {Refusal} at the first step that the request does not pass
 */
export function verify(
  request: ArrivedRequest,
  credentials: Credentials,
  nonces: Nonces,
  nowMs: number,
): IssuedCredential {
  const { keyId, timestamp, nonce, signature } = presentHeaders(request);
  checkTimestamp(timestamp, nowMs);
  if (nonces.isTracked(keyId, nonce, nowMs)) {
    throw new Refusal(
      'replay_detected',
      `X-Market-Nonce ${quoted(nonce)} was used before. Every request needs a fresh nonce, a retry too; only the Idempotency-Key stays the same.`,
    );
  }

  const credential = credentials.find(keyId);
  if (credential === undefined) {
    throw new Refusal(
      'invalid_signature',
      `X-Market-Key-Id ${quoted(keyId)} is not a credential of this service, so there is no secret to compare with.`,
    );
  }
  const lines = canonicalLines(request, timestamp, nonce);
  if (!isSignatureOf(joinLines(lines), signature, credential.key)) {
    const { message, details } = diagnose({ request, lines, signature, credential, credentials });
    throw new Refusal('invalid_signature', message, details);
  }

  // Only now: a stranger without the secret must not be able to use up a partner's nonces.
  nonces.remember(keyId, nonce, nowMs);
  return credential;
}

function presentHeaders({ headers }: ArrivedRequest) {
  const missing = signatureHeaders.filter((name) => (headers[name] ?? '') === '');
  if (missing.includes('x-market-key-id')) {
    throw new Refusal('missing_credentials', 'The header X-Market-Key-Id is missing.');
  }
  if (missing.length > 0) {
    const names = missing.map((name) => spelling[name]).join(', ');
    throw new Refusal('missing_signature_headers', `Missing: ${names}.`);
  }
  const [keyId = '', timestamp = '', nonce = '', signature = ''] = signatureHeaders.map(
    (name) => headers[name],
  );
  return { keyId, timestamp, nonce, signature };
}

function checkTimestamp(timestamp: string, nowMs: number): void {
  const now = Math.floor(nowMs / 1000);
  if (!/^(?:0|[1-9]\d{0,15})$/.test(timestamp)) {
    throw new Refusal(
      'invalid_timestamp',
      `X-Market-Timestamp ${quoted(timestamp)} is not a whole number of Unix seconds. The service's time is ${now}.`,
    );
  }
  const skew = Number(timestamp) - now;
  if (Math.abs(skew) <= maxSkewSeconds) return;
  const looksLikeMilliseconds = Math.abs(Number(timestamp) / 1000 - now) <= maxSkewSeconds;
  throw new Refusal(
    'invalid_timestamp',
    looksLikeMilliseconds
      ? `X-Market-Timestamp ${timestamp} looks like milliseconds; seconds are expected. The service's time is ${now}.`
      : `X-Market-Timestamp ${timestamp} is ${Math.abs(skew)} seconds ${skew < 0 ? 'behind' : 'ahead of'} the service's time, ${now}; at most ${maxSkewSeconds} are allowed.`,
  );
}

function isSignatureOf(canonical: string, signature: string, key: KeyObject): boolean {
  const hex = /^v1=([0-9a-f]{64})$/.exec(signature)?.[1];
  if (hex === undefined) return false;
  const expected = createHmac('sha256', key).update(canonical, 'utf8').digest();
  return timingSafeEqual(expected, Buffer.from(hex, 'hex'));
}

function quoted(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}

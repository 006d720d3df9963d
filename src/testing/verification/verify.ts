/** Verification of a signed request. */

import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { Credentials, IssuedCredential } from '../credentials.js';
import type { RawRequest } from '../http/messages.js';
import { ServiceError } from '../service-error.js';
import { canonicalLines, joinLines, type CanonicalLines } from './canonical.js';
import { diagnose, type Diagnosis } from './diagnosis.js';
import type { Nonces } from './nonces.js';

const maxSkewSeconds = 300;

const signatureHeaders = [
  'X-Market-Key-Id',
  'X-Market-Timestamp',
  'X-Market-Nonce',
  'X-Market-Signature',
] as const;

/** The six lines of a canonical string, as the service computed them and as the client signed them. */
export interface CanonicalComparison {
  readonly expected: CanonicalLines;
  /** `undefined` if the service cannot find out what was signed. */
  readonly signed: CanonicalLines | undefined;
}

/** A signature that does not match, with the lines of its canonical string. */
export class SignatureError extends ServiceError {
  readonly canonical: CanonicalComparison;
  /** The message without the canonical string, for places that show its lines as a table. */
  readonly why: string;

  constructor(
    { message, why, details }: Pick<Diagnosis, 'message' | 'why' | 'details'>,
    canonical: CanonicalComparison,
  ) {
    super('invalid_signature', message, details);
    this.canonical = canonical;
    this.why = why;
  }
}

/**
 * Steps 1 to 4 of "Verification by the service" (specification, part 5), in the documented order.
 *
 * @param nowMs - clock of the verifying machine, in Unix milliseconds
 * @throws {@link ServiceError} at the first step that the request does not pass
 */
export function verify(
  request: RawRequest,
  credentials: Credentials,
  nonces: Nonces,
  nowMs: number,
): { credential: IssuedCredential; lines: CanonicalLines } {
  const { keyId, timestamp, nonce, signature } = requireHeaders(request);
  checkTimestamp(timestamp, nowMs);
  if (nonces.isTracked(keyId, nonce, nowMs)) {
    throw new ServiceError(
      'replay_detected',
      `X-Market-Nonce ${quote(nonce)} was used before. Every request needs a fresh nonce, a retry too; only the Idempotency-Key stays the same.`,
    );
  }

  const credential = credentials.find(keyId);
  if (credential === undefined) {
    throw new ServiceError(
      'invalid_signature',
      `X-Market-Key-Id ${quote(keyId)} is not a credential of this service, so there is no secret to compare with.`,
    );
  }
  const lines = canonicalLines(request, timestamp, nonce);
  if (!isSignatureOf(joinLines(lines), signature, credential.key)) {
    const diagnosis = diagnose({ request, lines, signature, credential, credentials });
    throw new SignatureError(diagnosis, { expected: lines, signed: diagnosis.signed });
  }

  // Only now: a sender without the secret must not use up a partner's nonces.
  nonces.remember(keyId, nonce, nowMs);
  return { credential, lines };
}

function requireHeaders({ headers }: RawRequest) {
  const values = signatureHeaders.map((name) => headers[name.toLowerCase()] ?? '');
  const missing = signatureHeaders.filter((_, at) => values[at] === '');
  if (missing.includes('X-Market-Key-Id')) {
    throw new ServiceError('missing_credentials', 'The header X-Market-Key-Id is missing.');
  }
  if (missing.length > 0) {
    throw new ServiceError('missing_signature_headers', `Missing: ${missing.join(', ')}.`);
  }
  const [keyId = '', timestamp = '', nonce = '', signature = ''] = values;
  return { keyId, timestamp, nonce, signature };
}

function checkTimestamp(timestamp: string, nowMs: number): void {
  const now = Math.floor(nowMs / 1000);
  if (!/^(?:0|[1-9]\d{0,15})$/.test(timestamp)) {
    throw new ServiceError(
      'invalid_timestamp',
      `X-Market-Timestamp ${quote(timestamp)} is not a whole number of Unix seconds. The service's time is ${now}.`,
    );
  }
  const skew = Number(timestamp) - now;
  if (Math.abs(skew) <= maxSkewSeconds) return;
  const looksLikeMilliseconds = Math.abs(Number(timestamp) / 1000 - now) <= maxSkewSeconds;
  throw new ServiceError(
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

function quote(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}

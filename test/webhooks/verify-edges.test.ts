/** Forms of bodies and headers at the edges of the verifier. */

import { describe, expect, it } from 'vitest';
import { signWebhook, verifyWebhook, WebhookVerificationError } from 'market-partner-sdk/webhooks';
import { bodyConsumedError, toRawBody } from '../../src/webhooks/raw-body.js';
import { signatureOf } from '../../src/webhooks/signature-header.js';
import { thrownBy } from '../support/errors.js';

const secret = 'whsec_public';
const refusalOf = (run: () => unknown) => thrownBy(run, WebhookVerificationError);
const limit = 64 * 1024 * 1024;

describe('a raw body', () => {
  it('is not copied, unless its memory is shared', () => {
    const bytes = new Uint8Array([123, 125]);
    expect(toRawBody(bytes)).toBe(bytes);
    const view = new DataView(bytes.buffer, 1);
    expect(toRawBody(view)).toMatchObject({ buffer: bytes.buffer, byteOffset: 1, byteLength: 1 });

    const shared = new Uint8Array(new SharedArrayBuffer(2)).fill(125);
    const copy = toRawBody(shared) as Uint8Array;
    shared.fill(0);
    expect([...copy]).toEqual([125, 125]);
    expect(copy.buffer).toBeInstanceOf(ArrayBuffer);
  });

  it('has at most 64 MiB, as text and as bytes', { timeout: 60_000 }, () => {
    expect(toRawBody('x'.repeat(limit))).toHaveLength(limit);
    expect(toRawBody(new Uint8Array(limit))).toHaveLength(limit);
    for (const body of ['x'.repeat(limit + 1), new Uint8Array(limit + 1)]) {
      expect(refusalOf(() => toRawBody(body)).reason).toBe('body_too_large');
    }
  });

  it('that other code has read is reported as not raw', () => {
    expect(bodyConsumedError().reason).toBe('body_not_raw');
  });
});

describe('a signature header', () => {
  it('is read by its name, not by the length of it', () => {
    const signature = signWebhook('{}', secret);
    const { length } = 'x-market-signature';
    for (const name of ['x-markets-ignature', 'x-other']) {
      const { reason, message } = refusalOf(() =>
        verifyWebhook('{}', { [name]: signature }, secret),
      );
      expect(reason).toBe('missing_signature');
      expect(message).toContain('The sender is not the service');
    }
    expect('x-markets-ignature').toHaveLength(length);
  });

  it('that is absent is not reported as a whole request', () => {
    for (const absent of [undefined, null, '', {}, { other: 'x' }]) {
      expect(refusalOf(() => signatureOf(absent)).message).toContain('is not the service');
    }
    expect(refusalOf(() => signatureOf({ headers: {} })).message).toContain('a whole request');
  });

  it('names a prefix that is known, and repeats nothing else', () => {
    const messageOf = (prefix: string) =>
      refusalOf(() => signatureOf(`${prefix}=${'a'.repeat(64)}`)).message;
    expect(messageOf('v1')).toContain('starts with "v1="');
    expect(messageOf('evil')).not.toContain('evil');
  });
});

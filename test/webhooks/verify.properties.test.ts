import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  explainWebhookMismatch,
  isValidSignature,
  signWebhook,
  verifyWebhook,
  WebhookVerificationError,
  type RawBody,
  type WebhookSignature,
} from 'market-partner-sdk/webhooks';
import { eventJson, SECRET, signed } from './deliveries.js';

const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 });
const secret = fc.string({ minLength: 1, maxLength: 40, unit: 'binary' });
const printable = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme-ascii' });

/** Changes one byte to another one. */
function flipped(from: Uint8Array, at: number, by: number): Uint8Array {
  const changed = Uint8Array.from(from);
  const place = at % changed.length;
  changed[place] = changed[place]! ^ by;
  return changed;
}

const place = fc.nat();
const change = fc.integer({ min: 1, max: 255 });

describe('any body and any secret', () => {
  it('match their own signature', () => {
    fc.assert(
      fc.property(bytes, secret, (body, key) => {
        const signature = signWebhook(body, key);
        expect(signature).toBe(signed(body, key));
        expect(isValidSignature(body, signature, key)).toBe(true);
      }),
    );
  });

  it('do not match once one byte of the body has changed', () => {
    fc.assert(
      fc.property(bytes, printable, place, change, (body, key, at, by) => {
        expect(isValidSignature(flipped(body, at, by), signed(body, key), key)).toBe(false);
      }),
    );
  });

  it('do not match once one byte of the signature has changed', () => {
    fc.assert(
      fc.property(bytes, printable, place, change, (body, key, at, by) => {
        const signature = flipped(Buffer.from(signed(body, key)), at, by);
        expect(isValidSignature(body, Buffer.from(signature).toString('latin1'), key)).toBe(false);
      }),
    );
  });

  it('do not match once one byte of the secret has changed', () => {
    fc.assert(
      fc.property(bytes, printable, place, fc.integer({ min: 1, max: 31 }), (body, key, at, by) => {
        const other = Buffer.from(flipped(Buffer.from(key), at, by)).toString('latin1');
        // HMAC fills a key up with zero bytes: one at its end is no change.
        fc.pre(!other.endsWith('\0'));
        expect(isValidSignature(body, signed(body, key), other)).toBe(false);
      }),
    );
  });
});

describe('whatever a sender sends', () => {
  const anything = fc.oneof(
    fc.anything({ withTypedArray: true, withNullPrototype: true, withDate: true }),
    fc.json(),
    bytes,
  );
  const header = fc.oneof(
    fc.anything({ withNullPrototype: true }),
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.constant(signed(eventJson())),
    fc.record({ 'x-market-signature': fc.oneof(fc.string(), fc.anything()) }),
  );

  it('is refused with a WebhookVerificationError and with nothing else', () => {
    fc.assert(
      fc.property(anything, header, (body, signature) => {
        try {
          verifyWebhook(body as RawBody, signature as WebhookSignature, SECRET);
        } catch (error) {
          expect(error).toBeInstanceOf(WebhookVerificationError);
          return;
        }
        throw new Error('accepted');
      }),
      { numRuns: 500 },
    );
  });

  it('never makes isValidSignature or explainWebhookMismatch throw, whatever the secret is', () => {
    fc.assert(
      fc.property(anything, header, fc.anything(), (body, signature, key) => {
        const call = [body as RawBody, signature as WebhookSignature, key as string] as const;
        expect(isValidSignature(...call)).toBe(false);
        expect(explainWebhookMismatch(...call)).toMatch(/[.?]$/);
      }),
      { numRuns: 300 },
    );
  });

  it('is refused the same way when it is signed but no event', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ unit: 'binary' })), (body) => {
        expect(() => verifyWebhook(body, signed(body), SECRET)).toThrow(WebhookVerificationError);
      }),
      { numRuns: 300 },
    );
  });
});

/** WebhookVerificationError: thrown for a delivery that was refused. */

const brand = Symbol.for('market-partner-sdk.webhook-error');
const name = 'WebhookVerificationError';

/**
 * Why a delivery was refused:
 * - `'missing_signature'`: there is no X-Market-Signature.
 * - `'malformed_signature'`: it is not exactly 64 lower-case hexadecimal characters.
 * - `'signature_mismatch'`: no secret gives this signature for this body.
 * - `'body_not_raw'`: the body is a parsed object, or was consumed before it could be hashed.
 * - `'body_too_large'`: the body has more bytes than are allowed.
 * - `'missing_secret'`: there is no secret, or an empty one.
 * - `'invalid_json'`: the signature is right and the body is not JSON.
 * - `'invalid_event'`: the signature is right and the JSON is not an event.
 */
export type WebhookErrorReason =
  | 'missing_signature'
  | 'malformed_signature'
  | 'signature_mismatch'
  | 'body_not_raw'
  | 'body_too_large'
  | 'missing_secret'
  | 'invalid_json'
  | 'invalid_event';

/**
 * A delivery that was refused. `reason` is for the program; `message` names the probable cause for your
 * log and repeats neither the secret nor a signature. Respond with 401 and show the sender neither.
 *
 * `instanceof` works across the ESM and the CommonJS copy of this class.
 *
 * @example
 * ```ts
 * import { verifyWebhook, WebhookVerificationError } from 'market-partner-sdk/webhooks';
 *
 * try {
 *   verifyWebhook('{}', undefined, 'whsec_public');
 * } catch (error) {
 *   if (error instanceof WebhookVerificationError) console.error(error.reason, error.message);
 * }
 * ```
 */
export class WebhookVerificationError extends Error {
  /** Why the delivery was refused. */
  readonly reason: WebhookErrorReason;

  static {
    // On the prototype: minifying must not change the name, and inspect() must not list it.
    for (const key of [brand, 'name']) {
      Object.defineProperty(this.prototype, key, { value: name, configurable: true });
    }
  }

  constructor(reason: WebhookErrorReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.reason = reason;
  }

  /** Compares a brand, which the ESM and the CommonJS copy of the class share. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // A subclass has no brand of its own, so compare by identity.
    if (!Object.hasOwn(this.prototype, brand)) {
      return Function.prototype[Symbol.hasInstance].call(this, value);
    }
    return typeof value === 'object' && value !== null && brand in value;
  }
}

/** WebhookVerificationError: thrown for a delivery that was refused. */

import { brandClass, PackageError } from '../core/errors/package-error.js';

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
 * `instanceof` works across all copies of this class that a program loads.
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
export class WebhookVerificationError extends PackageError {
  /** Why the delivery was refused. */
  declare readonly reason: WebhookErrorReason;

  static {
    brandClass(this, 'WebhookVerificationError');
  }

  constructor(reason: WebhookErrorReason, message: string, options?: { cause?: unknown }) {
    super(message, { reason }, options);
  }
}

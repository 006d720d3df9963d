/** ErrorCode: the codes of the service's errors. */

/**
 * The code in an error's body (specification, parts 4.2, 5 and 7). Codes that this version does not
 * know pass through.
 *
 * @example
 * ```ts
 * import type { ErrorCode } from 'market-partner-sdk';
 *
 * const needsANewQuote = (code: ErrorCode | undefined) =>
 *   code === 'quote_expired' || code === 'price_mismatch';
 * ```
 */
export type ErrorCode =
  | 'validation_error'
  | 'invalid_signature'
  | 'missing_credentials'
  | 'missing_signature_headers'
  | 'missing_idempotency_key'
  | 'invalid_timestamp'
  | 'replay_detected'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'price_mismatch'
  | 'quote_expired'
  | 'rate_limited'
  | 'internal_error'
  | (string & {});

/** The service's refusals, one class for each thing that a caller may want to branch on (specification, part 7). */

import { brandClass } from '../../core/errors/package-error.js';
import type { ErrorCode } from './error-code.js';
import { MarketError } from './market-error.js';
import type { ErrorResponse, ResponseFacts } from './response-facts.js';

/**
 * The service responded with an error. The class follows the body's `code`; if that is not a
 * known one, the HTTP status decides. A code that this version does not know is an `ApiError`
 * with that `code`.
 *
 * @see specification, part 7
 *
 * @example
 * ```ts
 * import { ApiError, MarketClient } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * try {
 *   await market.domains.getPricing('not-listed.example');
 * } catch (error) {
 *   if (!(error instanceof ApiError)) throw error;
 *   console.log(error.response.status, error.code, error.requestId, error.retryAfterMs);
 * }
 * ```
 */
export class ApiError extends MarketError implements ResponseFacts {
  declare readonly response: ErrorResponse;
  declare readonly code?: ErrorCode;
  declare readonly requestId?: string;
  declare readonly body?: unknown;
  /** Milliseconds to wait, if the service said so: with a 429, and perhaps with a 503. */
  declare readonly retryAfterMs?: number;

  static {
    brandClass(this, 'ApiError');
  }

  constructor(message: string, facts: ResponseFacts = {}, options?: { cause?: unknown }) {
    super(message, facts, options);
  }
}

/**
 * 400 `validation_error`: a field is missing or malformed; the message gives details.
 *
 * @see specification, part 7
 *
 * @example
 * ```ts
 * import { MarketClient, ValidationError } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * try {
 *   await market.orders.create({ domain: 'brew.example', expected_price: 250_000, quote_id: 'quo_unknown' });
 * } catch (error) {
 *   if (!(error instanceof ValidationError)) throw error;
 *   console.log(error.message, error.body);
 * }
 * ```
 */
export class ValidationError extends ApiError {
  static {
    brandClass(this, 'ValidationError');
  }
}

/**
 * The credential or the signature was not accepted: `invalid_signature`, `missing_credentials`,
 * `missing_signature_headers`, `invalid_timestamp` or `replay_detected`. `explainSignature` prints
 * what was signed, line by line.
 *
 * @see specification, parts 5 and 7
 *
 * @example
 * ```ts
 * import { AuthenticationError, MarketClient } from 'market-partner-sdk';
 *
 * const market = new MarketClient({ secret: 'of another credential' });
 * try {
 *   await market.domains.search('coffee shop');
 * } catch (error) {
 *   if (!(error instanceof AuthenticationError)) throw error;
 *   console.log(error.code); // invalid_signature: check the secret first
 * }
 * ```
 */
export class AuthenticationError extends ApiError {
  static {
    brandClass(this, 'AuthenticationError');
  }
}

/**
 * 403 `forbidden`: the credential lacks the scope that the call needs.
 *
 * @see specification, parts 5 and 7
 *
 * @example
 * ```ts
 * import { ForbiddenError, MarketClient } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * try {
 *   await market.brokerage.checkEligibility('brew.example');
 * } catch (error) {
 *   if (!(error instanceof ForbiddenError)) throw error;
 *   console.log(`ask for the scope ${error.requiredScope}`);
 * }
 * ```
 */
export class ForbiddenError extends ApiError {
  /** The scope that the call needs; two for order reads, of which either may be the one. */
  declare readonly requiredScope?: string;

  static {
    brandClass(this, 'ForbiddenError');
  }
}

/**
 * 404 `not_found`: the domain is not listed, or the order or case does not exist.
 *
 * @see specification, parts 4 and 7
 *
 * @example
 * ```ts
 * import { MarketClient, NotFoundError } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * try {
 *   await market.domains.getPricing('not-listed.example');
 * } catch (error) {
 *   if (!(error instanceof NotFoundError)) throw error;
 *   console.log('not for sale');
 * }
 * ```
 */
export class NotFoundError extends ApiError {
  static {
    brandClass(this, 'NotFoundError');
  }
}

/**
 * 409 `conflict`: the Idempotency-Key was used before with a different body. That first order may
 * exist: a new key would place a second one. Give the first input and this key to `orders.resume`.
 *
 * @see specification, part 4.2, rule 3
 *
 * @example
 * ```ts
 * import { ConflictError, MarketClient } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * try {
 *   await market.orders.create({ domain: 'brew.example', expected_price: 250_000 }, { idempotencyKey: 'payment-1001' });
 * } catch (error) {
 *   if (!(error instanceof ConflictError)) throw error;
 *   console.log(error.idempotencyKey, 'was used with another input: give that one to orders.resume');
 * }
 * ```
 */
export class ConflictError extends ApiError {
  static {
    brandClass(this, 'ConflictError');
  }
}

/**
 * 422 `price_mismatch`: the price is not the current listing price. A sale that was paid keeps its key:
 * `orders.resume` with `requote: 'at_most_paid'` orders at a new quote, never above `expected_price`.
 *
 * @see specification, part 4.2, rule 5
 *
 * @example
 * ```ts
 * import { MarketClient, PriceMismatchError } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * try {
 *   await market.orders.create(
 *     { domain: 'brew.example', expected_price: 240_000, external_payment_ref: 'payment-1001' },
 *     { idempotencyKey: 'payment-1001' },
 *   );
 * } catch (error) {
 *   if (!(error instanceof PriceMismatchError)) throw error;
 *   console.log(error.idempotencyKey, 'goes to orders.resume, with requote');
 * }
 * ```
 */
export class PriceMismatchError extends ApiError {
  static {
    brandClass(this, 'PriceMismatchError');
  }
}

/**
 * 422 `quote_expired`: the quote is past its ten minutes. A sale that was paid keeps its key:
 * `orders.resume` with `requote: 'at_most_paid'` takes a new quote, and makes the key of its order.
 *
 * @see specification, part 4.2, rule 4
 *
 * @example
 * ```ts
 * import { MarketClient, QuoteExpiredError } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const quote = await market.orders.quote({ domain: 'brew.example' });
 * try {
 *   const input = {
 *     domain: 'brew.example',
 *     expected_price: 250_000,
 *     quote_id: quote.quote_id,
 *     external_payment_ref: 'payment-1001',
 *   };
 *   await market.orders.create(input, { idempotencyKey: 'payment-1001' });
 * } catch (error) {
 *   if (!(error instanceof QuoteExpiredError)) throw error;
 *   console.log(error.idempotencyKey, 'goes to orders.resume, with requote');
 * }
 * ```
 */
export class QuoteExpiredError extends ApiError {
  static {
    brandClass(this, 'QuoteExpiredError');
  }
}

/**
 * 429 `rate_limited`: too many calls, and the wait does not fit the call's deadline or retries.
 *
 * @see specification, part 7
 *
 * @example
 * ```ts
 * import { MarketClient, RateLimitError } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * try {
 *   await market.domains.search('coffee shop', { deadlineMs: 5_000 });
 * } catch (error) {
 *   if (!(error instanceof RateLimitError)) throw error;
 *   console.log(`again in ${error.retryAfterMs ?? 60_000} ms`);
 * }
 * ```
 */
export class RateLimitError extends ApiError {
  /** Milliseconds to wait, from the Retry-After header; absent when the service did not say. */
  declare readonly retryAfterMs?: number;

  static {
    brandClass(this, 'RateLimitError');
  }
}

/**
 * 500 `internal_error` and every other 5xx: the service failed, perhaps after it had acted.
 *
 * @see specification, part 7
 *
 * @example
 * ```ts
 * import { InternalServerError, MarketClient } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * try {
 *   await market.orders.create({ domain: 'brew.example', expected_price: 250_000 });
 * } catch (error) {
 *   if (!(error instanceof InternalServerError)) throw error;
 *   // 'unknown': the order may exist. Give the stored sale to orders.resume.
 *   console.log(error.outcome, error.idempotencyKey, error.attempts);
 * }
 * ```
 */
export class InternalServerError extends ApiError {
  static {
    brandClass(this, 'InternalServerError');
  }
}

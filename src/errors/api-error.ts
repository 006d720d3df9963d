/** The service's refusals, one class for each thing that a caller may want to branch on (specification, part 7). */

import { assignFacts, brandAs, MarketError, type CallFacts } from './market-error.js';

/** The facts of an answer, beside those of its call. */
export interface AnswerFacts extends CallFacts {
  /** HTTP status. */
  readonly status?: number | undefined;
  /** The service's error code, where the body has one. */
  readonly code?: string | undefined;
  /** The service's identifier of the request, where a header or the body has one. */
  readonly requestId?: string | undefined;
  /** The answer's headers, names in lower case. `set-cookie` is left out. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The parsed JSON, or the first 2,000 characters of what is not JSON. */
  readonly body?: unknown;
  /** Milliseconds to wait, from the Retry-After header of a 429 or a 503. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The service answered with an error. The class follows the body's `code`; where that is not a
 * known one, the HTTP status decides. A code that this version does not know is an `ApiError`
 * with that `code`.
 *
 * @see specification, part 7
 */
export class ApiError extends MarketError implements AnswerFacts {
  declare readonly status: number;
  declare readonly code?: string;
  declare readonly requestId?: string;
  declare readonly headers: Readonly<Record<string, string>>;
  declare readonly body?: unknown;
  /** Milliseconds to wait, where the service said so: with a 429, and perhaps with a 503. */
  declare readonly retryAfterMs?: number;

  static {
    brandAs(this, 'ApiError');
  }

  constructor(message: string, facts: AnswerFacts = {}, options?: { cause?: unknown }) {
    super(message, {}, options);
    assignFacts(this, facts);
  }
}

/** 400 `validation_error`: a field is missing or malformed; the message gives details. */
export class ValidationError extends ApiError {
  static {
    brandAs(this, 'ValidationError');
  }
}

/**
 * The credential or the signature was not accepted: `invalid_signature`, `missing_credentials`,
 * `missing_signature_headers`, `invalid_timestamp` or `replay_detected`. `explainSignature` prints
 * what was signed, line by line.
 */
export class AuthenticationError extends ApiError {
  static {
    brandAs(this, 'AuthenticationError');
  }
}

/** 403 `forbidden`: the credential lacks the scope that the call needs. */
export class ForbiddenError extends ApiError {
  /** The scope that the call needs; two for order reads, of which either may be the one. */
  declare readonly requiredScope?: string;

  static {
    brandAs(this, 'ForbiddenError');
  }
}

/** 404 `not_found`: the domain is not listed, or the order or case does not exist. */
export class NotFoundError extends ApiError {
  static {
    brandAs(this, 'NotFoundError');
  }
}

/** 409 `conflict`: the Idempotency-Key was used before with a different body. */
export class ConflictError extends ApiError {
  static {
    brandAs(this, 'ConflictError');
  }
}

/** 422 `price_mismatch`: the price is not the current listing price. */
export class PriceMismatchError extends ApiError {
  static {
    brandAs(this, 'PriceMismatchError');
  }
}

/** 422 `quote_expired`: the quote is past its ten minutes. */
export class QuoteExpiredError extends ApiError {
  static {
    brandAs(this, 'QuoteExpiredError');
  }
}

/** 429 `rate_limited`: too many calls, and the wait does not fit the call's deadline or retries. */
export class RateLimitError extends ApiError {
  /** Milliseconds to wait, from the Retry-After header; absent when the service did not say. */
  declare readonly retryAfterMs?: number;

  static {
    brandAs(this, 'RateLimitError');
  }
}

/** 500 `internal_error` and every other 5xx: the service failed, perhaps after it had acted. */
export class InternalServerError extends ApiError {
  static {
    brandAs(this, 'InternalServerError');
  }
}

/** classOfError: which class an error response becomes (specification, part 7); isDocumentedCode. */

import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ForbiddenError,
  InternalServerError,
  NotFoundError,
  PriceMismatchError,
  QuoteExpiredError,
  RateLimitError,
  ValidationError,
} from './api-error.js';

type ApiErrorClass = new (...args: ConstructorParameters<typeof ApiError>) => ApiError;

export function classOfError(code: string | undefined, status: number): ApiErrorClass {
  return (code === undefined ? undefined : classByCode.get(code)) ?? classOfStatus(status);
}

/** Whether the specification names this code. */
export function isDocumentedCode(code: string): boolean {
  return classByCode.has(code);
}

// A Map, not an object: a code such as "constructor" must not match a prototype member.
const classByCode = new Map<string, ApiErrorClass>(
  Object.entries({
    validation_error: ValidationError,
    // The specification lists it among the codes without a status (part 7): a header is missing.
    missing_idempotency_key: ValidationError,
    invalid_signature: AuthenticationError,
    missing_credentials: AuthenticationError,
    missing_signature_headers: AuthenticationError,
    invalid_timestamp: AuthenticationError,
    replay_detected: AuthenticationError,
    forbidden: ForbiddenError,
    not_found: NotFoundError,
    conflict: ConflictError,
    price_mismatch: PriceMismatchError,
    quote_expired: QuoteExpiredError,
    rate_limited: RateLimitError,
    internal_error: InternalServerError,
  }),
);

const classByStatus = new Map<number, ApiErrorClass>([
  [400, ValidationError],
  [401, AuthenticationError],
  [403, ForbiddenError],
  [404, NotFoundError],
  [409, ConflictError],
  [429, RateLimitError],
]);

function classOfStatus(status: number): ApiErrorClass {
  return classByStatus.get(status) ?? (status >= 500 ? InternalServerError : ApiError);
}

/** The code that a status implies if the body has none; used only to choose the advice. */
export function codeOfStatus(status: number): string | undefined {
  return new Map([
    [403, 'forbidden'],
    [404, 'not_found'],
    [409, 'conflict'],
  ]).get(status);
}

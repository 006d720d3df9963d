/** The codes of specification part 7, each with the status that it is answered with. */
export const statusOf = {
  validation_error: 400,
  // The specification leaves the status of these open ("not shown"): see docs/assumptions.md.
  missing_idempotency_key: 400,
  missing_signature_headers: 401,
  invalid_timestamp: 401,
  replay_detected: 401,
  // From here on as documented.
  missing_credentials: 401,
  invalid_signature: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  price_mismatch: 422,
  quote_expired: 422,
  rate_limited: 429,
  internal_error: 500,
} as const;

/** An error code of the service. */
export type RefusalCode = keyof typeof statusOf;

/** The service says no. Thrown by an endpoint, answered by the service in its error shape. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: RefusalCode, message: string, details?: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return statusOf[this.code];
  }
}

/** ServiceError, with the error codes of the service, and EmulatorError. */

import { brandClass, PackageError } from '../core/errors/package-error.js';

/** The status of each error code (specification, part 7). */
const statusByCode = {
  validation_error: 400,
  // The specification leaves the status of these open ("not shown"): see docs/assumptions.md.
  missing_idempotency_key: 400,
  missing_signature_headers: 401,
  invalid_timestamp: 401,
  replay_detected: 401,
  // The statuses below are documented.
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

type ServiceErrorCode = keyof typeof statusByCode;

/** An error without its envelope. */
export interface ErrorContent {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** An error response of the service. Thrown by verification, endpoints and market alike. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ServiceErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: ServiceErrorCode,
    message: string,
    details?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return statusByCode[this.code];
  }
}

/** Thrown for a staff action that is not possible: a wrong status, an unknown id. */
export class EmulatorError extends PackageError {
  /** `'not_found'` for an unknown id, `'conflict'` for everything else. */
  declare readonly code: 'not_found' | 'conflict';

  static {
    brandClass(this, 'EmulatorError');
  }

  /** @internal */
  constructor(message: string, code: 'not_found' | 'conflict' = 'conflict') {
    super(message, { code });
  }
}

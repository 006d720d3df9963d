/** ErrorResponse and ResponseFacts: what an error knows of the response that it belongs to. */

import type { ErrorCode } from './error-code.js';
import type { CallFacts } from './market-error.js';

/**
 * The response that an error belongs to. It is an object of its own because web frameworks send `status` and
 * `headers` of an error that reaches them to the visitor.
 */
export interface ErrorResponse {
  /** HTTP status. */
  readonly status: number;
  /** The response's headers, names in lower case. `set-cookie` is left out. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The facts of a response, in addition to those of its call. */
export interface ResponseFacts extends CallFacts {
  /** Status and headers of the response. */
  readonly response?: ErrorResponse | undefined;
  /** The service's error code, if the body has one. */
  readonly code?: ErrorCode | undefined;
  /** The service's identifier of the request, if a header or the body has one. */
  readonly requestId?: string | undefined;
  /** The parsed JSON, or the first 2,000 characters of what is not JSON. */
  readonly body?: unknown;
  /** Milliseconds to wait, from the Retry-After header of a 429 or a 503. */
  readonly retryAfterMs?: number | undefined;
}

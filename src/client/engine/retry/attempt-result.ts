/** AttemptResult: the result of one attempt, made from a transport's result. */

import { findRequestId } from '../../assumptions.js';
import {
  isTransient,
  parseResponse,
  type ExpectedResponse,
  type ParsedResponse,
} from '../../responses/parse-response.js';
import type { Cancellation } from '../../transport/cancellation.js';
import { classifyError } from '../../transport/classify-error.js';
import { TransportError, type TransportResult } from '../../transport/transport.js';
import { membersOf, parseHttpDate, serverDateMs } from '../time/http-date.js';

/** The service's refusal of a call. */
export type ErrorResponse = Extract<ParsedResponse, { kind: 'error_response' }> & {
  /** Whether it limits the whole credential; any other failure concerns only its own call. */
  readonly rateLimited: boolean;
  /** Milliseconds to wait, if a rate limit or a passing failure says so. */
  readonly retryAfterMs: number | undefined;
  /** When the service sent it, by its own clock. */
  readonly serverDateMs: number | undefined;
};

export type AttemptResult =
  | Extract<ParsedResponse, { kind: 'success' | 'unexpected_response' }>
  | ErrorResponse
  /** The request never left. The error knows whether trying again can help. */
  | { readonly kind: 'not_sent'; readonly error: TransportError }
  /** The request was sent, and no complete response came. */
  | { readonly kind: 'connection_lost'; readonly error: TransportError }
  | {
      readonly kind: 'timeout';
      readonly limit: 'attempt' | 'deadline';
      readonly sent: boolean;
      /** Whether it still waited for one of the client's own connections. */
      readonly queued: boolean;
      readonly error: TransportError;
    }
  | { readonly kind: 'aborted'; readonly sent: boolean; readonly error: TransportError };

export type FailedAttempt = Exclude<AttemptResult, { kind: 'success' }>;

/** What is known about an attempt besides its response. */
export interface SentAttempt {
  /** The service's time when the attempt began, for a Retry-After that is a date. */
  readonly sentAtMs: number;
  /** Values that no error may show. */
  readonly secrets: readonly string[];
}

export function toAttemptResult(
  result: TransportResult,
  cancellation: Cancellation,
  attempt: SentAttempt,
  endpoint: ExpectedResponse,
): AttemptResult {
  if (result instanceof TransportError) return withoutResponse(result, cancellation, attempt);
  try {
    const parsed = parseResponse(result, endpoint, attempt.secrets);
    if (parsed.kind !== 'error_response') return parsed;
    return withTimes(parsed, result.headers, attempt.sentAtMs);
  } catch (error) {
    // Only a custom dispatcher or fetch can make parsing throw. The request was sent: outcome unknown.
    return withoutResponse(classifyError(error, true), cancellation, attempt);
  }
}

function withoutResponse(
  error: TransportError,
  { cause: cancelledBy, isQueued }: Cancellation,
  attempt: SentAttempt,
): AttemptResult {
  const sent = error.kind !== 'not_sent';
  if (cancelledBy === 'abort') return { kind: 'aborted', sent, error };
  // A 429 is a rate limit by its status: a body that breaks off must not lose its Retry-After.
  if (error.head?.status === 429) {
    const { status, headers } = error.head;
    const response = {
      kind: 'error_response',
      status,
      headers,
      requestId: findRequestId(headers),
      body: undefined,
      code: undefined,
      message: undefined,
    } as const;
    return withTimes(response, headers, attempt.sentAtMs);
  }
  if (cancelledBy !== undefined) {
    const limit = cancelledBy === 'deadline' ? 'deadline' : 'attempt';
    return { kind: 'timeout', limit, sent, queued: isQueued, error };
  }
  return { kind: sent ? 'connection_lost' : 'not_sent', error };
}

/** @param headers - as received: redacted ones have lost the times in which a secret occurs */
function withTimes(
  response: Extract<ParsedResponse, { kind: 'error_response' }>,
  headers: Readonly<Record<string, string>>,
  sentAtMs: number,
): ErrorResponse {
  const { status, code } = response;
  const rateLimited = status === 429 || code === 'rate_limited';
  const dateMs = serverDateMs(headers);
  const retryAfterMs =
    rateLimited || isTransient(status)
      ? parseRetryAfter(headers['retry-after'], dateMs ?? sentAtMs)
      : undefined;
  return { ...response, rateLimited, retryAfterMs, serverDateMs: dateMs };
}

/**
 * The Retry-After header in milliseconds from `nowMs`: seconds as the specification has it (part 7),
 * or one of HTTP's dates. Of several the longest counts. `undefined` if it is missing or malformed; a date in
 * the past means no wait.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const waits = membersOf(value)
    .map((member) => waitOf(member, nowMs))
    .filter((ms) => ms !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function waitOf(text: string, nowMs: number): number | undefined {
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const dateMs = parseHttpDate(text);
  return dateMs === undefined ? undefined : Math.max(0, dateMs - nowMs);
}

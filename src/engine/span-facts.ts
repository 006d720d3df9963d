/** What is told of a call and of its attempts, to spans and to the log. */

import { describeCause } from '../errors/market-error.js';
import type { AttemptResult } from './attempt.js';
import type { PreparedCall } from './prepare.js';
import type { AttemptSpan, CallSpan } from './trace.js';

export function callSpan({ endpoint, method, idempotencyKey }: PreparedCall): CallSpan {
  const span = { call: endpoint.name, method, path: endpoint.path };
  return idempotencyKey === undefined ? span : { ...span, idempotencyKey };
}

export function attemptSpan(
  { endpoint, method }: PreparedCall,
  attempt: number,
  delayMs: number,
): AttemptSpan {
  return { call: endpoint.name, method, path: endpoint.path, attempt, delayMs };
}

type AttemptFacts = Pick<AttemptSpan, 'status' | 'requestId' | 'failure' | 'error'>;

/** What came of an attempt, for its span and for the log. */
export function factsOf(result: AttemptResult, { query }: PreparedCall): AttemptFacts {
  if (result.kind === 'failure') {
    const failure = result.cut ?? result.failure.kind;
    const error = describeCause(result.failure.cause);
    // Some runtimes print the whole address, and a query is not for logs.
    return { failure, error: query === '' ? error : error?.replaceAll(`?${query}`, '') };
  }
  const { status, requestId } = result;
  return { status, ...(requestId === undefined ? {} : { requestId }) };
}

/** attemptFields: the result of an attempt, for its span and for the log. */

import { describeCause } from '../../errors/cause.js';
import { redact } from '../../errors/redact.js';
import type { AttemptFailure, AttemptSpan } from '../tracing.js';
import type { CallState } from './call-state.js';
import type { AttemptResult } from './retry/attempt-result.js';

type AttemptFields = Pick<AttemptSpan, 'status' | 'requestId' | 'failure' | 'error'>;

export function attemptFields(result: AttemptResult, state: CallState): AttemptFields {
  if ('error' in result) {
    const error = describeCause(result.error.cause);
    return { failure: failureOf(result), error: error && withoutQuery(error, state) };
  }
  const { status, requestId } = result;
  return requestId === undefined ? { status } : { status, requestId };
}

function failureOf(result: Extract<AttemptResult, { error: unknown }>): AttemptFailure {
  if (result.kind === 'timeout') return 'timeout';
  return result.kind === 'aborted' ? 'abort' : result.error.kind;
}

/** Some runtimes print the whole address, and a query is not for logs. */
function withoutQuery(text: string, { call: { query }, secrets }: CallState): string {
  const safe = redact(text, secrets);
  return query === '' ? safe : safe.replaceAll(`?${query}`, '');
}

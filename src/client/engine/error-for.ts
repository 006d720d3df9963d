/** errorFor: the error of a call whose last attempt failed. */

import {
  abortedError,
  apiErrorFor,
  connectionError,
  timeoutError,
  unexpectedError,
} from '../errors/create-error.js';
import type { ConfigurationError } from '../errors/configuration-error.js';
import type { MarketError } from '../errors/market-error.js';
import { setCause } from '../../core/errors/package-error.js';
import { redact } from '../../core/errors/redact.js';
import type { CallState } from './call-state.js';
import type { FailedAttempt } from './retry/attempt-result.js';
import type { StopReason } from './retry/decide-retry.js';

/** Why there is no further attempt, for the error's message. */
export const stopReasons: Partial<Record<StopReason, string>> = {
  not_repeatable: 'not retried: not idempotent',
  no_budget: 'not retried: too many calls of this client are failing',
  no_time: 'not retried: deadline reached',
};

export function errorFor(
  result: FailedAttempt,
  state: CallState,
  reason: string | undefined,
): MarketError {
  const context = state.errorContext(reason);
  switch (result.kind) {
    case 'error_response':
      return apiErrorFor(context, result, result.retryAfterMs);
    case 'unexpected_response':
      return unexpectedError(context, result, result.what);
    case 'aborted':
      return abortedError(context, state.call.signal?.reason);
    case 'timeout':
      return timeoutError(context, result.limit, state.call.limits, result);
    case 'not_sent':
    case 'connection_lost':
      return connectionError(context, result.error);
  }
}

/** The refusal of a credential for which `credentials` returned no other: it says both. */
export function refusedCredentialError(
  result: FailedAttempt,
  state: CallState,
  notReplaced: ConfigurationError,
): MarketError {
  const why = redact(notReplaced.message, state.secrets);
  const error = errorFor(result, state, `not retried: ${why}`);
  setCause(error, notReplaced);
  return error;
}

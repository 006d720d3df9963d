/** createErrorReporter: passes errors to `onError`, or logs what the partner needs to know. */

import type { MarketEvent } from '../events.js';
import { WebhookVerificationError } from '../verification-error.js';
import { messageOf } from './foreign-objects.js';
import { RefusalLog } from './refusal-log.js';
import type { WebhookStatus } from './response.js';

/** The delivery that an error belongs to. */
export interface WebhookErrorContext {
  /** The status of the response because of the error. */
  readonly status: WebhookStatus;
  /** The event, once its signature was verified. */
  readonly event?: MarketEvent;
}

/** Reports an error; never throws. */
export type ErrorReporter = (error: unknown, context: WebhookErrorContext) => void;

/**
 * Without `onError`, errors of verified events go to `console.error`. Anyone on the internet can cause
 * all others: they are counted, and `console.warn` sums them up, for each cause at most once a minute.
 */
export function createErrorReporter(
  onError: ((error: unknown, context: WebhookErrorContext) => unknown) | undefined,
): ErrorReporter {
  if (onError === undefined) return createLoggingReporter();
  const callOnError = async (error: unknown, context: WebhookErrorContext) => {
    try {
      await onError(error, context);
    } catch (failure) {
      logError(failure);
    }
  };
  return (error, context) => void callOnError(error, context);
}

function createLoggingReporter(): ErrorReporter {
  const refusals = new RefusalLog((line) => {
    const more = 'Set onError to see each of them; each cause is logged at most once a minute.';
    console.warn(`market-partner-sdk/webhooks: ${line} ${more}`);
  });
  return (error, { status, event }) => {
    if (event !== undefined) logError(error);
    else if (error instanceof WebhookVerificationError) refusals.add(error.reason, error.message);
    // A sender that closes the connection (400) is not worth a line.
    else if (status !== 400) refusals.add('other', messageOf(error, ''));
  };
}

function logError(error: unknown): void {
  console.error('market-partner-sdk/webhooks:', error);
}

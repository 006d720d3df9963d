/** The options of `createWebhookHandler`, and their checked form. */

import {
  anything,
  callback,
  checkOptions,
  nonEmptyString,
  optionCheck,
  tracing,
  wholeNumber,
  type OptionTable,
} from '../check-options.js';
import type { MarketEvent, UnknownEvent } from '../events.js';
import { RecentEvents } from './deduplication/recent-events.js';
import type { DeduplicationStore } from './deduplication/store.js';
import { createErrorReporter, type WebhookErrorContext } from './error-reporter.js';
import { createFindListener, type WebhookContext, type WebhookListeners } from './listeners.js';
import type { WebhookSecretSource } from './requested-secrets.js';
import type { WebhookTracing } from './webhook-span.js';

/**
 * The service waits 5 seconds for a response (specification, part 8); the network needs part of that.
 */
const maxTimeoutMs = 4_900;

/** `verifyWebhook` refuses larger bodies. */
const largestMaxBytes = 64 * 1024 * 1024;

const optionTable: OptionTable<WebhookHandlerOptions> = {
  secret: anything,
  on: anything,
  onEvent: callback,
  onUnknown: callback,
  onError: callback,
  partnerId: nonEmptyString,
  maxAgeMs: optionCheck(
    'must be a number of milliseconds above 0',
    (value) => Number.isFinite(value) && Number(value) > 0,
  ),
  maxBytes: wholeNumber(1, largestMaxBytes),
  timeoutMs: wholeNumber(1, maxTimeoutMs),
  deduplicate: optionCheck(
    'must be true, false, or an object with has(id) and add(id)',
    (value) => {
      const { has, add } = Object(value) as Partial<DeduplicationStore>;
      return typeof value === 'boolean' || (typeof has === 'function' && typeof add === 'function');
    },
  ),
  tracing,
};

/**
 * The options of `createWebhookHandler`. An unknown or wrong option is an error that names it.
 *
 * @example
 * ```ts
 * import { createWebhookHandler, type WebhookHandlerOptions } from 'market-partner-sdk/webhooks';
 *
 * const options: WebhookHandlerOptions = {
 *   secret: process.env.MARKET_WEBHOOK_SECRET ?? '',
 *   on: { 'order.settled': ({ data }) => console.log('settled', data.order.public_id) },
 *   onEvent: ({ type }) => console.log('not handled here:', type),
 *   onError: (error, { status }) => console.error(status, error),
 *   deduplicate: true,
 * };
 * const handler = createWebhookHandler(options);
 * ```
 */
export interface WebhookHandlerOptions {
  /**
   * The secret that the webhook was registered with, or several while rotating. A function, such as
   * one that asks a vault, is called for the first delivery, at most once a minute, and again after a
   * signature that does not match. While it fails, the response is 500 and the service delivers again.
   */
  readonly secret: WebhookSecretSource;
  /**
   * A listener for each type of event. The response is 200 after the listener has resolved, and 500 if
   * the listener throws or rejects: the service then delivers again.
   */
  readonly on?: WebhookListeners | undefined;
  /**
   * The listener for every event without a listener of its own, documented or not. Without it, the
   * response to such an event is 200, and `console.warn` names its type once.
   */
  readonly onEvent?: ((event: MarketEvent, context: WebhookContext) => unknown) | undefined;
  /**
   * The listener for events of a type that this version does not know. It takes precedence over
   * `onEvent`.
   */
  readonly onUnknown?: ((event: UnknownEvent, context: WebhookContext) => unknown) | undefined;
  /**
   * Called for each delivery whose response is not 200: with a `WebhookVerificationError` if it was
   * refused, with the listener's error if that failed. Not called for a method other than POST.
   *
   * Without this option, the errors of verified events go to `console.error`. Refusals are
   * summed up by `console.warn`, each cause at most once a minute, without anything that the sender wrote.
   */
  readonly onError?: ((error: unknown, context: WebhookErrorContext) => unknown) | undefined;
  /** The largest body that is read, in bytes: 1 to 67,108,864. Default: 1,048,576. */
  readonly maxBytes?: number | undefined;
  /**
   * The longest time until the response in milliseconds, reading the body included: 1 to 4,900,
   * because the service waits 5 seconds. Default: 4,500. A listener that takes longer continues, but
   * the response is 503 and the service delivers again.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Runs no listener again for an event whose listener has resolved in this process; one that is slower
   * than `timeoutMs` runs again, beside itself, at the next delivery. `true` remembers the latest 10,000
   * events in memory. Copies that arrive during a run wait for it, as long as it can still succeed within
   * `timeoutMs`. For several processes use the inbox of `market-partner-sdk/durable`. Default: off.
   */
  readonly deduplicate?: boolean | DeduplicationStore | undefined;
  /** Refuses the events of another partner with 400, for a secret that several partners share. */
  readonly partnerId?: string | undefined;
  /**
   * Refuses events with 400 if their signed `created_at` is more than this many milliseconds in the
   * past, or more than 5 minutes in the future. Off by default: the service may repeat a delivery for
   * hours, and a captured delivery is recognized by its `id`.
   */
  readonly maxAgeMs?: number | undefined;
  /**
   * A span for each delivery: `openTelemetry(api)` of `market-partner-sdk/opentelemetry`. A tracing
   * that throws never makes a delivery fail.
   */
  readonly tracing?: WebhookTracing | undefined;
}

/**
 * The checked options, as `createWebhookHandler` uses them.
 *
 * @throws {@link TypeError} that names the option and its rule; `secret` is checked when keys are built
 */
export function resolveOptions(given: WebhookHandlerOptions) {
  const { on, onEvent, onUnknown, onError, deduplicate, ...delivery } =
    checkOptions<WebhookHandlerOptions>(optionTable, given, '{ secret, onEvent }');
  return {
    ...delivery,
    report: createErrorReporter(onError),
    store: toStore(deduplicate),
    findListener: createFindListener({ on, onEvent, onUnknown }),
  };
}

function toStore(
  deduplicate: boolean | DeduplicationStore | undefined,
): DeduplicationStore | undefined {
  if (typeof deduplicate === 'object') return deduplicate;
  return deduplicate === true ? new RecentEvents() : undefined;
}

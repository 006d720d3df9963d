/** createWebhookHandler: a handler that runs a listener for each type of event. */

import type { MarketEvent } from '../events.js';
import { RunOnce } from './deduplication/run-once.js';
import type { ProcessContext, WebhookSignal } from './delivery-config.js';
import { createDeliveryHandler, type WebhookHandler } from './delivery-handler.js';
import type { ErrorReporter } from './error-reporter.js';
import type { WebhookContext } from './listeners.js';
import { resolveOptions, type WebhookHandlerOptions } from './options.js';
import type { WebhookStatus } from './response.js';

/**
 * Creates a webhook handler: it reads the raw body within its limits, verifies it, runs the listener
 * of the event's type and responds. It responds 200 only after the listener has resolved, and to
 * every delivery within `timeoutMs`, before the service's 5 seconds end. The responses are
 * constants that reveal nothing to a sender; errors go to `onError`.
 *
 * Listeners get events as they were delivered: only the inbox reads them by the profile of a client.
 *
 * If a middleware has already consumed the body, the response is 500, and the error says how to fix it.
 *
 * @throws {@link WebhookVerificationError} `missing_secret`, if there is no secret or an empty one
 * @throws {@link TypeError} if another option is wrong; the message names it
 * @see specification, part 6
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createWebhookHandler } from 'market-partner-sdk/webhooks';
 *
 * const handler = createWebhookHandler({
 *   secret: process.env.MARKET_WEBHOOK_SECRET ?? '',
 *   on: {
 *     'order.settled': (event) => console.log('settled', event.data.order.public_id),
 *     'order.refunded': (event) => console.log('refunded', event.data.order.public_id),
 *   },
 *   onEvent: (event) => console.log('not handled here:', event.type),
 *   onError: (error, { status }) => console.error(status, error),
 *   deduplicate: true,
 * });
 * createServer(handler.node).listen(3000, '127.0.0.1');
 * ```
 */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const { findListener, store, report, ...delivery } = resolveOptions(options);
  const runOnce = store === undefined ? undefined : new RunOnce(store, report);
  return createDeliveryHandler({
    ...delivery,
    report,
    process: (event, context) => {
      const listener = findListener(event);
      if (listener === undefined) return 200;
      const run = (attempt?: number) =>
        listener(event as never, new ListenerContext(context, attempt));
      // All events without an id would be one.
      const hasId = event.id.trim() !== '';
      if (runOnce !== undefined && hasId) return runOnce.process(event, context, run);
      return runReported(run, event, report);
    },
  });
}

async function runReported(
  run: () => unknown,
  event: MarketEvent,
  report: ErrorReporter,
): Promise<WebhookStatus> {
  try {
    await run();
    return 200;
  } catch (error) {
    // Even if the response was 503 before: a late failure must not be lost.
    report(error, { status: 500, event });
    return 500;
  }
}

/**
 * A class because V8 creates a hidden class for every object literal with a getter, and must collect
 * it.
 */
class ListenerContext implements WebhookContext {
  readonly deliveredAt: Date;
  readonly attempt: number | undefined;
  readonly #delivery: ProcessContext;

  constructor(delivery: ProcessContext, attempt: number | undefined) {
    this.deliveredAt = delivery.deliveredAt;
    this.attempt = attempt;
    this.#delivery = delivery;
  }

  get signal(): WebhookSignal {
    return this.#delivery.signal;
  }
}

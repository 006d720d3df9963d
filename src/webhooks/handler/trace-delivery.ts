/** createDeliveryTrace: publishes deliveries on their diagnostics channel, inside the partner's tracing. */

import type * as diagnostics from 'node:diagnostics_channel';
import { runTraced } from '../../run-traced.js';
import type { WebhookSpan, WebhookTracing } from './webhook-span.js';

export interface DeliveryTrace {
  /** Whether anybody wants to know: without a reader no span is built. */
  isRead(): boolean;
  run<T>(span: WebhookSpan, work: () => Promise<T>): Promise<T>;
}

export function createDeliveryTrace(tracing: WebhookTracing | undefined): DeliveryTrace {
  const channel = webhookChannel();
  const isPublished = () => channel !== undefined && hasSubscribers(channel);
  const publish = <T>(span: WebhookSpan, work: () => Promise<T>) =>
    channel !== undefined && isPublished() ? channel.tracePromise(work, span) : work();
  return {
    isRead: () => tracing?.webhook !== undefined || isPublished(),
    run: (span, work) => {
      const published = () => publish(span, work);
      if (tracing?.webhook === undefined) return published();
      return runTraced((run) => tracing.webhook?.(span, run), published);
    },
  };
}

/** Written out: it runs for each delivery. */
function hasSubscribers({ start, end, asyncStart, asyncEnd, error }: WebhookChannel): boolean {
  return (
    start.hasSubscribers ||
    end.hasSubscribers ||
    asyncStart.hasSubscribers ||
    asyncEnd.hasSubscribers ||
    error.hasSubscribers
  );
}

type WebhookChannel = diagnostics.TracingChannel<unknown, WebhookSpan>;

/** A runtime without diagnostics channels publishes nothing. */
function webhookChannel(): WebhookChannel | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (id: string) => Partial<typeof diagnostics> | undefined };
  };
  const module = process?.getBuiltinModule?.('node:diagnostics_channel');
  return module?.tracingChannel?.<unknown, WebhookSpan>('market-partner-sdk:webhook');
}

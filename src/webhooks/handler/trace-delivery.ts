/**
 * createDeliveryTrace: publishes deliveries on their diagnostics channel, inside the partner's tracing.
 */

import type * as diagnostics from 'node:diagnostics_channel';
import { hasSubscribers, runTraced, type TracingChannel } from '../../tracing.js';
import type { WebhookSpan, WebhookTracing } from './webhook-span.js';

export interface DeliveryTrace {
  /** Whether anything traces deliveries; if not, no span is built. */
  isActive(): boolean;
  run<T>(span: WebhookSpan, work: () => Promise<T>): Promise<T>;
}

export function createDeliveryTrace(tracing: WebhookTracing | undefined): DeliveryTrace {
  const channel = webhookChannel();
  return {
    isActive: () => tracing?.webhook !== undefined || hasSubscribers(channel),
    run: (span, work) => {
      const published = () => (hasSubscribers(channel) ? channel.tracePromise(work, span) : work());
      if (tracing?.webhook === undefined) return published();
      return runTraced((run) => tracing.webhook?.(span, run), published);
    },
  };
}

/** Undefined on a runtime without diagnostics channels: nothing is published there. */
function webhookChannel(): TracingChannel<WebhookSpan> | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (id: string) => Partial<typeof diagnostics> | undefined };
  };
  const module = process?.getBuiltinModule?.('node:diagnostics_channel');
  return module?.tracingChannel?.<unknown, WebhookSpan>('market-partner-sdk:webhook');
}

/** The options of a delivery handler, and their checked form that the adapters use. */

import type * as diagnostics from 'node:diagnostics_channel';
import { hasSubscribers, runTraced, type TracingChannel } from '../../core/tracing.js';
import type { MarketEvent } from '../events.js';
import { nodeCrypto } from '../node-crypto.js';
import type { ReadEvent } from '../parse-event.js';
import type { ErrorReporter } from './error-reporter.js';
import type { WebhookStatus } from './response.js';
import type { WebhookSecretSource } from './requested-secrets.js';
import { createVerifier } from './verifier.js';
import type { WebhookSpan, WebhookTracing } from './webhook-span.js';

/** The runtime's own `AbortSignal` if its types are known. */
export type WebhookSignal = typeof globalThis extends {
  AbortSignal: { prototype: infer RuntimeSignal };
}
  ? RuntimeSignal
  : { readonly aborted: boolean; readonly reason: unknown };

/** What a delivery is waiting for, and the status of its response if `timeoutMs` ends first. */
export interface DeliveryStep {
  /** The subject of "… took longer than timeoutMs". */
  readonly waitsFor: string;
  readonly statusAtTimeout: WebhookStatus;
}

/** What `process` gets in addition to the event. */
export interface ProcessContext {
  /** Aborts when the response is due, or when the sender has closed the connection. */
  readonly signal: WebhookSignal;
  /** When the delivery arrived. */
  readonly deliveredAt: Date;
  /** The latest time of the response, on the clock of `performance.now()`. */
  readonly dueMs: number;
  /** Set this before each wait that may never end. */
  step: DeliveryStep;
}

/**
 * Processes a verified event and resolves with the status of the response. After a rejection, which is
 * reported, it is 500. It may continue after its signal has aborted; its status is then ignored.
 */
type ProcessEvent = (
  event: MarketEvent,
  context: ProcessContext,
) => WebhookStatus | PromiseLike<WebhookStatus>;

/** The options of `createDeliveryHandler`. */
export interface DeliveryHandlerOptions {
  readonly secret: WebhookSecretSource;
  readonly process: ProcessEvent;
  readonly report: ErrorReporter;
  /** 1 to 67,108,864; default 1,048,576. */
  readonly maxBytes?: number | undefined;
  /** 1 to 4,900; default 4,500. */
  readonly timeoutMs?: number | undefined;
  /** Events of another partner are refused. */
  readonly partnerId?: string | undefined;
  /** Events with an older `created_at` are refused. */
  readonly maxAgeMs?: number | undefined;
  /** Where deliveries have another form than the history. */
  readonly read?: ReadEvent | undefined;
  readonly tracing?: WebhookTracing | undefined;
  /** Whether responses close their connection, so that a server that shuts down can end. */
  readonly isStopping?: (() => boolean) | undefined;
}

/** The checked options, as the adapters use them. */
export type DeliveryConfig = Readonly<ReturnType<typeof resolveConfig>>;

/** Checks the secret once for all deliveries, and that this runtime can verify. The caller has checked all options except `secret`. */
export function resolveConfig(options: DeliveryHandlerOptions) {
  const { timeoutMs = 4_500, maxBytes = 1024 * 1024 } = options;
  // A runtime that cannot verify must say so now, and not at the first delivery.
  nodeCrypto();
  return {
    verify: createVerifier(options, timeoutMs),
    process: options.process,
    report: options.report,
    isStopping: options.isStopping ?? (() => false),
    maxBytes,
    timeoutMs,
    trace: createDeliveryTrace(options.tracing),
  };
}

/** Publishes deliveries on their diagnostics channel, inside the partner's tracing. */
function createDeliveryTrace(tracing: WebhookTracing | undefined) {
  const channel = webhookChannel();
  return {
    /** Whether anything traces deliveries; if not, no span is built. */
    isActive: () => tracing?.webhook !== undefined || hasSubscribers(channel),
    run: <T>(span: WebhookSpan, work: () => Promise<T>): Promise<T> => {
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

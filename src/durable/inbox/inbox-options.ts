/** The options of `createEventInbox`, and their checked form. */

import type { MarketClient } from '../../client/client.js';
import type { Logger } from '../../logger.js';
import { eventTypes, isDocumentedType } from '../../webhooks/event-types.js';
import type {
  KnownEvent,
  MarketEvent,
  MarketEventType,
  UnknownEvent,
} from '../../webhooks/events.js';
import type { WebhookTracing } from '../../webhooks/handler/webhook-span.js';
import type { WebhookSecret } from '../../webhooks/secrets.js';
import type { RetryPolicy, RetrySettings } from '../backoff.js';
import type { DurableEngine } from '../queue/engine.js';
import { resolveTime, type Time, type TimeOptions } from '../queue/time.js';
import { DurableConfigurationError, type HistoryGapError } from '../errors.js';
import type { PollProgress } from '../history/history-reader.js';
import {
  checkStartFrom,
  resolvePoll,
  type PollOptions,
  type PollSettings,
  type StartFrom,
} from '../history/poll-options.js';
import {
  checkFunction,
  checkKnownOptions,
  checkName,
  checkNumber,
  checkObject,
  checkTracing,
} from '../options.js';
import type { DurableTracing } from '../tracing.js';

/** What a listener gets beside its event. */
export interface EventContext<Tx> {
  /** 1 first. An attempt that the process did not survive counts, too. */
  readonly attempt: number;
  /** The event's id: the idempotency key for calls of your own. */
  readonly id: string;
  /** Fires at `handlerTimeoutMs`, when the inbox stops, or when another process has the event. */
  readonly signal: AbortSignal;
  /** `false`: no webhook came before this attempt, a poll found the event. */
  readonly viaWebhook: boolean;
  /**
   * Runs `write` in the transaction that marks the event done: both happen, or neither. The last
   * thing that a listener does. On SQLite `write` is synchronous.
   *
   * @throws {@link LeaseLostError} when another process has the event; nothing was written.
   * @throws {@link TypeError} where the engine has no transactions.
   */
  readonly commit: (write: (tx: Tx) => unknown) => Promise<void>;
}

/** A function for each type of event. It runs at least once, and in order for each order. */
export type EventListeners<Tx> = {
  readonly [Type in MarketEventType]?:
    | ((event: Extract<KnownEvent, { type: Type }>, context: EventContext<Tx>) => unknown)
    | undefined;
};

/** An event whose last attempt failed. It waits for `retry` or `discard`. */
export interface DeadLetter {
  readonly id: string;
  readonly orderingKey: string;
  readonly attempts: number;
  readonly error: string;
  readonly event: MarketEvent;
}

/** The options of `createEventInbox`. */
export interface EventInboxOptions<Tx = never> extends TimeOptions {
  /** Reads the history. Scope: `webhook`. */
  readonly market: Pick<MarketClient, 'events' | 'environment'>;
  /** Keeps the events: `sqliteEngine('market.db')` on one machine. */
  readonly engine: DurableEngine<Tx, never>;
  /** The webhook's secret, or several while rotating. Without it, polls alone find events. */
  readonly secret?: WebhookSecret | undefined;
  /** Where an inbox that has no checkpoint begins. */
  readonly startFrom: StartFrom;
  /** A function for each type. Events of types without one are passed over. */
  readonly on: EventListeners<Tx>;
  /** Takes events of types that this version does not know. Without it they are passed over. */
  readonly onUnknown?: ((event: UnknownEvent, context: EventContext<Tx>) => unknown) | undefined;
  /** Tells inboxes on one engine apart; each has its own checkpoint. Default: `'default'`. */
  readonly name?: string | undefined;
  /**
   * What is handled one after the other. Default: the order's `public_id`, else the event's id. The
   * default is used, and an error logged, where the function throws or returns no usable text.
   */
  readonly orderingKey?: ((event: MarketEvent) => string) | undefined;
  /** Listeners at once. Default: 8. */
  readonly concurrency?: number | undefined;
  /** The longest run of a listener, in milliseconds; then the attempt has failed. Default: 60,000. */
  readonly handlerTimeoutMs?: number | undefined;
  /** Default: 12 attempts, with waits of 16 minutes on average and 32 at most. */
  readonly retry?: RetryPolicy | undefined;
  readonly poll?: PollOptions | undefined;
  /** How long a done event is remembered, in milliseconds. Default: 30 days; at least one. */
  readonly keepDoneMs?: number | undefined;
  /** Receives each new dead letter. */
  readonly onDeadLetter?: ((deadLetter: DeadLetter) => unknown) | undefined;
  /** Decides about a gap that cannot be closed. Default: intake stops, `status().gap` is set. */
  readonly onGap?:
    | ((gap: HistoryGapError) => 'stop' | 'from_beginning' | PromiseLike<'stop' | 'from_beginning'>)
    | undefined;
  /** Receives a report for each page of a poll: for long catch-ups. */
  readonly onProgress?: ((progress: PollProgress) => unknown) | undefined;
  /** How long events of a process that died wait for another, in milliseconds. Default: 30,000. */
  readonly leaseMs?: number | undefined;
  readonly logger?: Logger | undefined;
  /** A span for each delivery and for each run of a listener: `openTelemetry(api)`. */
  readonly tracing?: (WebhookTracing & DurableTracing) | undefined;
  /** A number from 0 up to 1, for jitter; for tests. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** The checked options. */
export interface InboxSettings<Tx> {
  readonly options: EventInboxOptions<Tx>;
  readonly name: string;
  readonly queueName: string;
  readonly concurrency: number;
  readonly handlerTimeoutMs: number;
  readonly keepDoneMs: number;
  readonly leaseMs: number;
  readonly retry: RetrySettings;
  readonly poll: PollSettings;
  readonly time: Time;
  readonly random: () => number;
}

const known: Readonly<Record<keyof EventInboxOptions, true>> = {
  ...{ market: true, engine: true, secret: true, startFrom: true, on: true, onUnknown: true },
  ...{ name: true, orderingKey: true, concurrency: true, handlerTimeoutMs: true, retry: true },
  ...{ poll: true, keepDoneMs: true, onDeadLetter: true, onGap: true },
  ...{ onProgress: true, leaseMs: true, logger: true, tracing: true, random: true },
  ...{ clock: true, sleep: true },
};

const dayMs = 86_400_000;

/** @throws {@link DurableConfigurationError} */
export function resolveInboxOptions<Tx>(options: EventInboxOptions<Tx>): InboxSettings<Tx> {
  checkKnownOptions(options, Object.keys(known));
  checkObject(options.market, 'market', ['events.list']);
  checkObject(options.engine, 'engine', ['open']);
  checkStartFrom(options.startFrom);
  checkListeners(options.on);
  const functions = ['onUnknown', 'orderingKey', 'onDeadLetter', 'onGap', 'onProgress'] as const;
  for (const name of functions) checkFunction(options[name], name);
  checkTracing(options.tracing);
  const { name = 'default', concurrency = 8, handlerTimeoutMs = 60_000 } = options;
  const { keepDoneMs = 30 * dayMs, leaseMs = 30_000 } = options;
  checkName(name);
  checkNumber(concurrency, 'concurrency', 1);
  checkNumber(handlerTimeoutMs, 'handlerTimeoutMs', 1);
  checkNumber(keepDoneMs, 'keepDoneMs', dayMs);
  checkNumber(leaseMs, 'leaseMs', 1_000);
  return {
    ...{ options, name, concurrency, handlerTimeoutMs, keepDoneMs, leaseMs },
    // Sandbox and live events never share a queue.
    queueName: `market-${name}-${options.market.environment ?? 'any'}-events`,
    retry: resolveRetry(options.retry),
    poll: resolvePoll(options.poll),
    time: resolveTime(options),
    random: options.random ?? Math.random,
  };
}

function checkListeners(on: unknown): void {
  checkKnownOptions(on, eventTypes, 'on.');
  const listeners = Object.entries(on as object);
  for (const [type, listener] of listeners) checkFunction(listener, `on['${type}']`);
}

export function resolveRetry(retry: RetryPolicy = {}): RetrySettings {
  const { maxAttempts = 12, baseMs = 1_000, maxMs = 900_000 } = retry;
  checkKnownOptions(retry, ['maxAttempts', 'baseMs', 'maxMs'], 'retry.');
  for (const [name, value] of Object.entries({ maxAttempts, baseMs, maxMs })) {
    checkNumber(value, `retry.${name}`, 1);
  }
  if (maxMs < baseMs)
    throw new DurableConfigurationError('"retry.maxMs" must not be below "retry.baseMs".');
  return { maxAttempts, baseMs, maxMs };
}

/** The function that takes events of a type. `undefined`: they are skipped. */
export function listenerOf<Tx>(
  { on, onUnknown }: Pick<EventInboxOptions<Tx>, 'on' | 'onUnknown'>,
  type: string,
): ((event: MarketEvent, context: EventContext<Tx>) => unknown) | undefined {
  const listener = isDocumentedType(type) ? on[type] : onUnknown;
  // Each listener takes only its own type, which was just compared.
  return listener as ((event: MarketEvent, context: EventContext<Tx>) => unknown) | undefined;
}

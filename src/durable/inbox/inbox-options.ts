/** The options of `createEventInbox`, and their checked form. */

import * as z from 'zod/mini';
import type { Logger } from '../../core/logger.js';
import { ruled } from '../../core/schema/must.js';
import {
  callback,
  lazily,
  nested,
  optional,
  strict,
  text,
  tracing,
  wholeNumber,
  withDefault,
  withMethods,
  type Fields,
} from '../../core/schema/options.js';
import { eventTypes } from '../../webhooks/event-types.js';
import type { MarketEvent } from '../../webhooks/events.js';
import type { WebhookTracing } from '../../webhooks/handler/webhook-span.js';
import type { WebhookSecret } from '../../webhooks/secrets.js';
import type { RetryPolicy } from '../backoff.js';
import { pollSchema, startFrom, type PollOptions } from '../history/poll-options.js';
import type { HistorySource } from '../history/start-reading.js';
import {
  checkDurableOptions,
  engine,
  invalidOption,
  loggerOrFalse,
  random,
  timeFields,
} from '../options.js';
import type { OrderOutbox } from '../outbox/outbox-api.js';
import type { DurableEngine } from '../queue/engine.js';
import {
  environment,
  queueName,
  QueueNames,
  type EnvironmentSource,
  type QueueEnvironment,
} from '../queue/queue-names.js';
import { resolveTime, type TimeOptions } from '../../core/time/sleep.js';
import type { DurableTracing } from '../tracing.js';
import type { EventListeners, ListenerOptions } from './event-listeners.js';
import type { IntakeOptions } from './polling.js';

/** An event whose last attempt failed. It waits for `retry` or `discard`. */
export interface DeadLetter {
  readonly id: string;
  readonly orderingKey: string;
  readonly attempts: number;
  readonly error: string;
  readonly event: MarketEvent;
}

/** The options of `createEventInbox`. */
export interface EventInboxOptions<Tx = never>
  extends TimeOptions, IntakeOptions, ListenerOptions<Tx> {
  /** Reads the history. Scope: `webhook`. */
  readonly market: HistorySource & EnvironmentSource;
  /** Stores the events: `sqliteEngine('market.db')` on one machine. */
  readonly engine: DurableEngine<Tx, never>;
  /** The webhook's secret, or several while rotating. Without it, only polls find events. */
  readonly secret?: WebhookSecret | undefined;
  /**
   * Distinguishes inboxes on one database; each has its own checkpoint. Two programs or two partners need different
   * ones. Default: `'default'`.
   */
  readonly name?: string | undefined;
  /**
   * The environment that the name of the queue holds: it must be the credential's. Default: what the
   * key id of the credential says; required if that says nothing, as with `credentials`. `'any'`:
   * one queue for every environment. Drain the inbox before you change it.
   */
  readonly environment?: QueueEnvironment | undefined;
  /**
   * Events with the same key are handled one after the other. Default: the order's `public_id`, or
   * the event's id. If the function throws or returns a key that cannot be stored, the default is
   * used and an error is logged.
   */
  readonly orderingKey?: ((event: MarketEvent) => string) | undefined;
  /**
   * The outbox that places your orders. An event of an order whose sale has no reported result yet waits for it, so that
   * your records know the order when its listener runs. After two days it is a dead letter. Before the first run of
   * `recover` has ended, no event of an order is handled.
   */
  readonly outbox?: Pick<OrderOutbox, 'hasUnreportedSale'> | undefined;
  /** How many listeners run at the same time. Default: 8. */
  readonly concurrency?: number | undefined;
  /** How long a listener may run, in milliseconds, before the attempt counts as failed. Default: 60,000. */
  readonly handlerTimeoutMs?: number | undefined;
  /**
   * Default: 12 attempts, with waits of 16 minutes on average and 32 at most. None counts while no listener succeeds: then one event a minute
   * is tried.
   */
  readonly retry?: RetryPolicy | undefined;
  readonly poll?: PollOptions | undefined;
  /** How long a done event is remembered, in milliseconds. Default: 30 days; at least one. */
  readonly keepDoneMs?: number | undefined;
  /** Receives each new dead letter. */
  readonly onDeadLetter?: ((deadLetter: DeadLetter) => unknown) | undefined;
  /** How long the events of a process that died wait until another takes them, in milliseconds. Default: 30,000. */
  readonly leaseMs?: number | undefined;
  /** Default: `warn` and `error` go to the console. `false`: nothing is logged. */
  readonly logger?: Logger | false | undefined;
  /** A span for each delivery and for each run of a listener: `openTelemetry(api)`. */
  readonly tracing?: (WebhookTracing & DurableTracing) | undefined;
  /** A number from 0 up to 1, for jitter. Not `() => 0` as in the client: retries would not wait. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

const dayMs = 86_400_000;

/** An empty one comes from a variable that is not set. */
export function secret() {
  const rule = ruled('must be a non-empty string, or several (is its variable set?)');
  return z.union([text(), z.array(text()).check(z.minLength(1, { abort: true }))], rule);
}

const retrySchema = lazily(() => {
  const range = { path: ['maxMs'], error: 'must not be below "retry.baseMs"' };
  return strict({
    maxAttempts: withDefault(wholeNumber(1), 12),
    baseMs: withDefault(wholeNumber(1), 1_000),
    maxMs: withDefault(wholeNumber(1), 900_000),
  } satisfies Fields<RetryPolicy>).check(z.refine(({ baseMs, maxMs }) => maxMs >= baseMs, range));
});

const schemaOf = <Tx>() => {
  type Options = EventInboxOptions<Tx>;
  const listeners = eventTypes.map((type) => [type, optional(callback())]);
  return strict({
    market: withMethods<Options['market']>('events.list'),
    engine: engine<Tx, Tx>(),
    secret: optional(secret()),
    startFrom: startFrom(),
    on: nested(strict(Object.fromEntries(listeners) as Fields<EventListeners<Tx>>)),
    onEvent: optional(callback<Options['onEvent']>()),
    onUnknown: optional(callback<Options['onUnknown']>()),
    name: queueName(),
    environment: optional(environment()),
    orderingKey: optional(callback<Options['orderingKey']>()),
    outbox: optional(withMethods<Options['outbox']>('hasUnreportedSale')),
    concurrency: withDefault(wholeNumber(1), 8),
    handlerTimeoutMs: withDefault(wholeNumber(1), 60_000),
    retry: nested(retrySchema()),
    poll: nested(pollSchema()),
    keepDoneMs: withDefault(wholeNumber(dayMs), 30 * dayMs),
    onDeadLetter: optional(callback<Options['onDeadLetter']>()),
    onGap: optional(callback<Options['onGap']>()),
    onProgress: optional(callback<Options['onProgress']>()),
    leaseMs: withDefault(wholeNumber(1_000), 30_000),
    logger: loggerOrFalse(),
    tracing: optional(tracing<NonNullable<Options['tracing']>>()),
    random: random(),
    ...timeFields(),
  } satisfies Fields<Options>);
};

/** One for all transactions, which are types alone. */
const inboxSchema = lazily(schemaOf<unknown>) as typeof schemaOf;

export type InboxSettings<Tx> = ReturnType<typeof resolveInboxOptions<Tx>>;

/** @throws {@link DurableConfigurationError} */
export function resolveInboxOptions<Tx>(given: EventInboxOptions<Tx>) {
  const options = checkDurableOptions(inboxSchema<Tx>, given);
  if (Object.keys(options.on).length === 0 && options.onEvent === undefined) {
    throw invalidOption('on', 'must have a listener, unless there is "onEvent"');
  }
  const time = resolveTime(options);
  return { ...options, time, queues: new QueueNames({ ...options, time }) };
}

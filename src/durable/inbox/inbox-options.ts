/** The options of `createEventInbox`, and their checked form. */

import type { Logger } from '../../logger.js';
import {
  callback,
  nonEmptyString,
  required,
  tracingLike,
  wholeNumber,
  withMethods,
  type OptionCheck,
  type OptionTable,
} from '../../options.js';
import { eventTypes } from '../../webhooks/event-types.js';
import type { MarketEvent } from '../../webhooks/events.js';
import type { WebhookTracing } from '../../webhooks/handler/webhook-span.js';
import type { WebhookSecret } from '../../webhooks/secrets.js';
import type { RetryPolicy, RetrySettings } from '../backoff.js';
import {
  resolvePoll,
  startFromCheck,
  type PollOptions,
  type PollSettings,
} from '../history/poll-options.js';
import type { HistorySource } from '../history/start-reading.js';
import { checkDurableOptions, invalidOption, loggerCheck } from '../options.js';
import type { OrderOutbox } from '../outbox/outbox-api.js';
import type { DurableEngine } from '../queue/engine.js';
import {
  environmentCheck,
  nameCheck,
  QueueNames,
  type EnvironmentSource,
  type QueueEnvironment,
} from '../queue/queue-names.js';
import { resolveTime, type Time, type TimeOptions } from '../../time/sleep.js';
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
  /** Distinguishes inboxes on one engine; each has its own checkpoint. Default: `'default'`. */
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
   * your records know the order when its listener runs. After two days it is a dead letter.
   */
  readonly outbox?: Pick<OrderOutbox, 'hasUnreportedSale'> | undefined;
  /** How many listeners run at the same time. Default: 8. */
  readonly concurrency?: number | undefined;
  /** How long a listener may run, in milliseconds, before the attempt counts as failed. Default: 60,000. */
  readonly handlerTimeoutMs?: number | undefined;
  /** Default: 12 attempts, with waits of 16 minutes on average and 32 at most. */
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
  /** A number from 0 up to 1, for jitter; for tests. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

export interface InboxSettings<Tx> {
  readonly options: EventInboxOptions<Tx>;
  readonly name: string;
  readonly queues: QueueNames;
  readonly concurrency: number;
  readonly handlerTimeoutMs: number;
  readonly keepDoneMs: number;
  readonly leaseMs: number;
  readonly retry: RetrySettings;
  readonly poll: PollSettings;
  readonly time: Time;
  readonly random: () => number;
}

const dayMs = 86_400_000;

/** The webhook's secret, or a list of them. An empty one comes from a variable that is not set. */
export const secretCheck: OptionCheck = (value) => {
  const secrets: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isValid = secrets.length > 0 && secrets.every((each) => nonEmptyString(each) === undefined);
  return isValid ? undefined : 'must be a non-empty string, or several (is its variable set?)';
};

const table: OptionTable<EventInboxOptions> = {
  market: required(withMethods('events.list')),
  engine: required(withMethods('open', 'listQueues')),
  secret: secretCheck,
  startFrom: required(startFromCheck),
  on: true,
  onEvent: callback,
  onUnknown: callback,
  name: nameCheck,
  environment: environmentCheck,
  orderingKey: callback,
  outbox: withMethods('hasUnreportedSale'),
  concurrency: wholeNumber(1),
  handlerTimeoutMs: wholeNumber(1),
  retry: true,
  poll: true,
  keepDoneMs: wholeNumber(dayMs),
  onDeadLetter: callback,
  onGap: callback,
  onProgress: callback,
  leaseMs: wholeNumber(1_000),
  logger: loggerCheck,
  tracing: tracingLike,
  random: callback,
  clock: callback,
  sleep: callback,
};

const listenerTable = Object.fromEntries(
  eventTypes.map((type) => [type, callback]),
) as OptionTable<EventListeners>;

const retryTable: OptionTable<RetryPolicy> = {
  maxAttempts: wholeNumber(1),
  baseMs: wholeNumber(1),
  maxMs: wholeNumber(1),
};

/** @throws {@link DurableConfigurationError} */
export function resolveInboxOptions<Tx>(given: EventInboxOptions<Tx>): InboxSettings<Tx> {
  const checked = checkDurableOptions(table, given);
  const { on: listeners = {} } = checked;
  const on = checkDurableOptions(listenerTable, listeners, 'on');
  if (Object.keys(on).length === 0 && checked.onEvent === undefined) {
    throw invalidOption('on', 'must have a listener, unless there is "onEvent"');
  }
  const options = { ...checked, on };
  const { name = 'default', concurrency = 8, handlerTimeoutMs = 60_000 } = options;
  const { keepDoneMs = 30 * dayMs, leaseMs = 30_000, market, environment } = options;
  const time = resolveTime(options);
  return {
    options,
    name,
    concurrency,
    handlerTimeoutMs,
    keepDoneMs,
    leaseMs,
    queues: new QueueNames({ market, name, environment, time }),
    retry: resolveRetry(options.retry),
    poll: resolvePoll(options.poll),
    time,
    random: options.random ?? (() => Math.random()),
  };
}

function resolveRetry(options: RetryPolicy = {}): RetrySettings {
  const retry = checkDurableOptions(retryTable, options, 'retry');
  const { maxAttempts = 12, baseMs = 1_000, maxMs = 900_000 } = retry;
  if (maxMs < baseMs) throw invalidOption('retry.maxMs', 'must not be below "retry.baseMs"');
  return { maxAttempts, baseMs, maxMs };
}

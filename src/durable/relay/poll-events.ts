/** `pollEvents`: the history as a stream of pages, for your own queue or workflow engine. */

import type { Logger } from '../../core/logger.js';
import {
  abortSignal,
  callback,
  lazily,
  nested,
  optional,
  strict,
  withMethods,
  type Fields,
} from '../../core/schema/options.js';
import { RecentEvents } from '../../webhooks/handler/deduplication/recent-events.js';
import type { WebhookHandler } from '../../webhooks/handler/delivery-handler.js';
import type { MarketEvent } from '../../webhooks/events.js';
import type { WebhookSecret } from '../../webhooks/secrets.js';
import { isAborted } from '../../core/time/signals.js';
import type { Checkpoint } from '../queue/job.js';
import { repeat } from '../queue/periodic-task.js';
import { resolveTime, type TimeOptions } from '../../core/time/sleep.js';
import { secret } from '../inbox/inbox-options.js';
import { AnnouncedEvents } from '../inbox/announced-events.js';
import { Intake, type IntakeStatus } from '../inbox/intake.js';
import type { InboxPollReport, IntakeOptions } from '../inbox/polling.js';
import { createReceiver } from '../inbox/receive-delivery.js';
import { pollSchema, startFrom, type PollOptions } from '../history/poll-options.js';
import { checkDurableOptions, loggerOrFalse, timeFields } from '../options.js';

/** The options of `pollEvents`. */
export interface PollEventsOptions extends TimeOptions, IntakeOptions {
  /** Stores the checkpoint, as JSON. It is written after `enqueue` resolved. */
  readonly checkpoint: {
    read(): Checkpoint | undefined | PromiseLike<Checkpoint | undefined>;
    write(checkpoint: Checkpoint): unknown;
  };
  /**
   * Takes events in the order of the history. Polls overlap, and a restart may pass on an event
   * again: ids that are known must be ignored.
   */
  readonly enqueue: (events: readonly MarketEvent[]) => unknown;
  /** The webhook's secret. With it, `handler` wakes the poll. */
  readonly secret?: WebhookSecret | undefined;
  readonly poll?: PollOptions | undefined;
  /** Fires to end `run`, and a poll that is under way. */
  readonly signal?: AbortSignal | undefined;
  /** Default: `warn` and `error` go to the console. `false`: nothing is logged. */
  readonly logger?: Logger | false | undefined;
}

/** What `pollEvents` returns. */
export interface EventRelay {
  /**
   * Polls from time to time until the signal fires. Rejects when the first poll shows that the
   * credential is refused or that the history has a gap; any other failure is retried.
   */
  run(): Promise<void>;
  /** Polls once: for a cron route. */
  poll(): Promise<InboxPollReport>;
  /** How the polls and deliveries of this process are doing. */
  status(): IntakeStatus;
  /** Verifies deliveries and polls; returns 200 once `enqueue` took the event. */
  readonly handler: WebhookHandler;
}

const relaySchema = lazily(() =>
  strict({
    market: withMethods<PollEventsOptions['market']>('events.list'),
    startFrom: startFrom(),
    checkpoint: withMethods<PollEventsOptions['checkpoint']>('read', 'write'),
    enqueue: callback<PollEventsOptions['enqueue']>(),
    secret: optional(secret()),
    poll: nested(pollSchema()),
    signal: optional(abortSignal()),
    onGap: optional(callback<PollEventsOptions['onGap']>()),
    onProgress: optional(callback<PollEventsOptions['onProgress']>()),
    logger: loggerOrFalse(),
    ...timeFields(),
  } satisfies Fields<PollEventsOptions>),
);

/**
 * Reads the history of events into your own engine, without gaps. De-duplicate by the event's
 * id for longer than the overlap, and order by `data.order.public_id`.
 *
 * @throws {@link DurableConfigurationError} when an option is wrong; the message names it.
 * @see specification, part 4.7: GET /events
 *
 * @example
 * ```ts
 * import { MarketClient } from 'market-partner-sdk';
 * import { pollEvents, type Checkpoint } from 'market-partner-sdk/durable';
 *
 * let saved: Checkpoint | undefined;
 * const relay = pollEvents({
 *   market: new MarketClient(),
 *   startFrom: 'beginning',
 *   checkpoint: { read: () => saved, write: (checkpoint) => (saved = checkpoint) },
 *   enqueue: (events) => console.log(events.map(({ id }) => id)),
 * });
 * await relay.poll();
 * ```
 */
export function pollEvents(given: PollEventsOptions): EventRelay {
  const options = checkDurableOptions(relaySchema, given);
  const { checkpoint: stored, enqueue, poll, logger } = options;
  const time = resolveTime(options);
  const signal = options.signal ?? new AbortController().signal;
  const forwarded = new RecentEvents();
  const intake = new Intake({
    ...options,
    name: 'pollEvents',
    time,
    keepDoneMs: Infinity,
    announced: new AnnouncedEvents(time.clock),
    sink: {
      readCheckpoint: async () => stored.read(),
      store: async (events, checkpoint) => {
        if (events.length > 0) await enqueue(events);
        if (checkpoint !== undefined) await stored.write(checkpoint);
        const added = events.filter(({ id }) => !forwarded.has(id)).map(({ id }) => id);
        for (const id of added) forwarded.add(id);
        return added;
      },
      has: ({ id }) => Promise.resolve(forwarded.has(id)),
    },
    run: (task) => task(signal),
  });

  return {
    poll: intake.polling.poll,
    status: () => intake.status,
    run: async () => {
      await intake.polling.begin(signal).catch((error: unknown) => {
        if (!isAborted(signal)) throw error;
      });
      const polling = { everyMs: poll.everyMs, run: intake.polling.poll };
      await repeat(polling, { time, random: () => Math.random(), logger }, signal, signal);
    },
    handler: createReceiver({ ...options, intake, isWanted: () => true }),
  };
}

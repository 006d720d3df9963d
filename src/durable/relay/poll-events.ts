/** `pollEvents`: the history as a stream of pages, for a queue or workflow engine of your own. */

import type { MarketClient } from '../../client/client.js';
import { safeLogger, type Logger } from '../../logger.js';
import { RecentEvents } from '../../webhooks/handler/deduplication/recent-events.js';
import {
  createDeliveryHandler,
  type WebhookHandler,
} from '../../webhooks/handler/delivery-handler.js';
import type { MarketEvent } from '../../webhooks/events.js';
import { secretNotSet, type WebhookSecret } from '../../webhooks/secrets.js';
import { isAborted } from '../queue/abort.js';
import type { Checkpoint } from '../queue/job.js';
import { resolveTime, type TimeOptions } from '../queue/time.js';
import type { HistoryGapError } from '../errors.js';
import { HistoryReader, type PollProgress, type PollReport } from '../history/history-reader.js';
import {
  checkStartFrom,
  resolvePoll,
  type PollOptions,
  type StartFrom,
} from '../history/poll-options.js';
import { sharePolls } from '../history/shared-poll.js';
import {
  checkFunction,
  checkKnownOptions,
  checkObject,
  checkSignal,
  checkTime,
} from '../options.js';

/** The options of `pollEvents`. */
export interface PollEventsOptions extends TimeOptions {
  /** Reads the history. Scope: `webhook`. */
  readonly market: Pick<MarketClient, 'events'>;
  /** Where to begin when there is no checkpoint. */
  readonly startFrom: StartFrom;
  /** Keeps the checkpoint, as JSON. It is written after `enqueue` resolved. */
  readonly checkpoint: {
    read(): Checkpoint | undefined | PromiseLike<Checkpoint | undefined>;
    write(checkpoint: Checkpoint): unknown;
  };
  /** Takes events in the order of the history. Pages overlap: ids that are known must be ignored. */
  readonly enqueue: (events: readonly MarketEvent[]) => unknown;
  /** The webhook's secret: `handler` then wakes the poll. */
  readonly secret?: WebhookSecret | undefined;
  readonly poll?: PollOptions | undefined;
  /** Fires to end `run`, and a poll that is under way. */
  readonly signal?: AbortSignal | undefined;
  readonly onGap?:
    | ((gap: HistoryGapError) => 'stop' | 'from_beginning' | PromiseLike<'stop' | 'from_beginning'>)
    | undefined;
  readonly onProgress?: ((progress: PollProgress) => unknown) | undefined;
  readonly logger?: Logger | undefined;
}

/** What `pollEvents` returns. */
export interface EventRelay {
  /** Polls from time to time until the signal fires. Rejects when the first poll fails. */
  run(): Promise<void>;
  /** Polls once: for a cron route. */
  poll(): Promise<PollReport>;
  /** Verifies deliveries and polls; 200 once `enqueue` took the event. */
  readonly handler: WebhookHandler;
}

const known: Readonly<Record<keyof PollEventsOptions, true>> = {
  ...{ market: true, startFrom: true, checkpoint: true, enqueue: true, secret: true, poll: true },
  ...{ signal: true, onGap: true, onProgress: true, logger: true, clock: true, sleep: true },
};

/**
 * Reads the history of events into an engine of your own, without gaps. De-duplicate by the event's
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
export function pollEvents(options: PollEventsOptions): EventRelay {
  checkKnownOptions(options, Object.keys(known));
  checkObject(options, 'options', [
    'market.events.list',
    'enqueue',
    'checkpoint.read',
    'checkpoint.write',
  ]);
  checkStartFrom(options.startFrom);
  checkFunction(options.onGap, 'onGap');
  checkFunction(options.onProgress, 'onProgress');
  checkSignal(options.signal, 'signal');
  checkTime(options);
  const settings = resolvePoll(options.poll);
  const time = resolveTime(options);
  const logger = safeLogger(options.logger);
  const forwarded = new RecentEvents();
  const reader = new HistoryReader({
    ...{ market: options.market, startFrom: options.startFrom, poll: settings, time },
    keepDoneMs: Infinity,
    readCheckpoint: async () => options.checkpoint.read(),
    store: async (events, checkpoint) => {
      if (events.length > 0) await options.enqueue(events);
      if (checkpoint !== undefined) await options.checkpoint.write(checkpoint);
      const added = events.filter(({ id }) => !forwarded.has(id)).map(({ id }) => id);
      for (const id of added) forwarded.add(id);
      return added;
    },
    onGap: (gap) => options.onGap?.(gap) ?? 'stop',
    onProgress: (progress) => void options.onProgress?.(progress),
  });
  const poll = sharePolls(() => reader.poll(options.signal));

  return {
    poll,
    run: async () => {
      const signal = options.signal ?? new AbortController().signal;
      await poll().catch((error: unknown) => {
        if (!isAborted(signal)) throw error;
      });
      while (!signal.aborted) {
        await time.sleep(settings.everyMs * (0.8 + 0.4 * Math.random()), signal);
        if (isAborted(signal)) return;
        await poll().catch((error: unknown) => {
          if (isAborted(signal)) return;
          logger.error('A poll of the history failed; the next one reads it all.', {
            error: String(error),
          });
        });
      }
    },
    handler: createDeliveryHandler({
      secret: options.secret ?? secretNotSet,
      report: (error, { status }) => {
        if (status >= 500) logger.error('A delivery failed.', { status, error: String(error) });
      },
      process: async (event) => {
        const isDone = () => forwarded.has(event.id) || reader.hasPassed(event);
        if (!isDone()) await poll().catch(() => undefined);
        return isDone() ? 200 : 503;
      },
    }),
  };
}

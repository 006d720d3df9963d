/** `createEventInbox`: webhooks wake, the history decides, the engine keeps. */

import type { WebhookHandler } from '../../webhooks/handler/delivery-handler.js';
import type { MarketEvent } from '../../webhooks/events.js';
import type { Checkpoint, QueueCounts } from '../queue/job.js';
import { checkOptions, required, wholeNumber, type OptionTable } from '../../options.js';
import { invalidOption, resolveLogger } from '../options.js';
import { QueueRunner } from '../queue/queue-runner.js';
import { Circuit } from './circuit.js';
import { listenerOf } from './event-listeners.js';
import { resolveInboxOptions, type DeadLetter, type EventInboxOptions } from './inbox-options.js';
import { InboxWarnings } from './inbox-warnings.js';
import { Intake, type IntakeStatus } from './intake.js';
import { createOrderingKeys } from './ordering-key.js';
import { isFinal, type InboxPollReport } from './polling.js';
import { createReceiver } from './receive-delivery.js';
import { createListenerRunner, type StoredEvent } from './run-listener.js';

/** The status of an inbox. */
export interface InboxStatus extends QueueCounts, IntakeStatus {
  /** Why this process handles no events at the moment; intake goes on. */
  readonly paused: string | null;
}

/** What `createEventInbox` returns: the four functions of a webhook handler, and its life. */
export interface EventInbox extends WebhookHandler {
  /**
   * Opens the engine, handles stored events, and reads the history now and from time to time. While
   * the service is down it resolves all the same; `status().lastPollError` says so.
   *
   * @throws {@link HistoryGapError}, or the client's error that the credential was refused
   */
  start(): Promise<void>;
  /**
   * Claims nothing more, lets listeners end for `graceMs` (default 25,000), gives the rest back.
   * After it deliveries get 503, until `start` or `drain`.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
  /** Reads the history now. Calls at the same time share one poll. */
  poll(): Promise<InboxPollReport>;
  /**
   * For a cron route: polls and handles what is due, until nothing is or `maxMs` has passed. Rejects
   * where `start` does, after it handled what is stored.
   */
  drain(options: { readonly maxMs: number }): Promise<DrainReport>;
  status(): Promise<InboxStatus>;
  /** @param options - `limit`: 100 by default */
  deadLetters(options?: { readonly limit?: number | undefined }): Promise<DeadLetter[]>;
  /** Handles a dead letter again, from attempt 1. `false`: there is none of this id. */
  retry(id: string): Promise<boolean>;
  /** Ends a dead letter without handling it; the reason is kept. `false`: there is none. */
  discard(id: string, reason: string): Promise<boolean>;
  /** Forgets done events that are older than `keepDoneMs`; runs daily after `start`. */
  prune(): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

type DrainOptions = Parameters<EventInbox['drain']>[0];
const drainTable: OptionTable<DrainOptions> = { maxMs: required(wholeNumber(1)) };

type ListOptions = NonNullable<Parameters<EventInbox['deadLetters']>[0]>;
const listTable: OptionTable<ListOptions> = { limit: wholeNumber(1) };

/** What one drain did. */
export interface DrainReport {
  readonly handled: number;
  readonly failed: number;
  readonly dead: number;
  /** Events that still wait or run. */
  readonly left: number;
}

/**
 * Creates an inbox: it stores each event in an engine (SQLite, PostgreSQL) before the delivery is
 * answered, reads the history for events whose webhook was lost, and runs a listener for each event
 * in the order of its sale. A webhook only wakes it; the history decides what came, and in what order.
 *
 * @throws {@link DurableConfigurationError} when an option is wrong; the message names it.
 * @see specification, parts 4.7 and 6
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { MarketClient } from 'market-partner-sdk';
 * import { createEventInbox, sqliteEngine } from 'market-partner-sdk/durable';
 *
 * const inbox = createEventInbox({
 *   market: new MarketClient(),
 *   secret: process.env.MARKET_WEBHOOK_SECRET ?? '',
 *   engine: sqliteEngine('market.db'),
 *   startFrom: 'beginning',
 *   on: {
 *     'order.settled': ({ data }) => console.log('settled', data.order.public_id),
 *   },
 * });
 * await inbox.start();
 * createServer(inbox.node).listen(3000);
 * await inbox.stop();
 * ```
 */
export function createEventInbox<Tx = never>(given: EventInboxOptions<Tx>): EventInbox {
  const settings = resolveInboxOptions(given);
  const { options, time, keepDoneMs } = settings;
  const logger = resolveLogger(options.logger);
  const orderingKeyOf = createOrderingKeys(options.orderingKey, logger);
  const circuit = new Circuit(time.clock);
  const counts = { handled: 0, failed: 0, dead: 0 };
  const runner = new QueueRunner(
    options.engine,
    {
      name: settings.queueName,
      leaseMs: settings.leaseMs,
      maxRunMs: settings.handlerTimeoutMs + 10_000,
      keepDoneMs,
    },
    { ...settings, logger, gate: circuit },
  );
  const warnings = new InboxWarnings(options, logger);
  const intake = new Intake({
    ...settings,
    logger,
    sink: {
      readCheckpoint: async () => {
        const checkpoint = await (await runner.queue()).checkpoint();
        warnings.checkTypes(checkpoint);
        return checkpoint;
      },
      store,
      has: async (event) => {
        const found = await (await runner.queue()).find([event.id]);
        warnings.compare([event], found);
        return found.has(event.id);
      },
    },
    run: (task) => runner.run(task),
  });
  const { announced, polling } = intake;
  const run = createListenerRunner(settings, { announced, counts, circuit, logger });

  return Object.freeze({
    ...createReceiver({ ...options, logger, intake, isWanted: isWantedDelivery }),
    start: async () => {
      const signal = runner.resume();
      const everyMs = settings.poll.everyMs;
      // Before the first poll, so that stored events are handled even if the history is away.
      await runner.start(run, [{ everyMs, run: () => polling.pollUnlessRecent() }], signal);
      try {
        await polling.begin(signal);
      } catch (error) {
        await runner.stop();
        throw error;
      }
    },
    stop: (stopOptions) => runner.stop(stopOptions?.graceMs),
    poll: polling.poll,
    drain: async (drainOptions) => {
      const { maxMs } = checkOptions<DrainOptions>(drainTable, drainOptions, invalidOption);
      const before = { ...counts };
      runner.resume();
      const until = time.clock() + maxMs;
      // At once, so that a history that does not respond leaves time for what is stored.
      const [failure] = await Promise.all([polling.pollWithin(maxMs), runner.drain(run, maxMs)]);
      const leftMs = until - time.clock();
      if (leftMs > 0) await runner.drain(run, leftMs);
      if (isFinal(failure)) throw failure;
      const { waiting, running } = await (await runner.queue()).counts();
      return {
        handled: counts.handled - before.handled,
        failed: counts.failed - before.failed,
        dead: counts.dead - before.dead,
        left: waiting + running,
      };
    },
    status: async () => {
      const counts = await (await runner.openQueue()).counts();
      const status = { ...counts, ...intake.status, paused: circuit.reason };
      // Without a secret no webhook can come, so none is missed.
      return options.secret === undefined ? { ...status, missedWebhooks: 0 } : status;
    },
    deadLetters: async (listOptions = {}) => {
      const { limit = 100 } = checkOptions<ListOptions>(listTable, listOptions, invalidOption);
      const dead = await (await runner.openQueue()).list('dead', { limit });
      return dead.items.map(({ id, orderingKey, attempt, error = '', body = '' }) => {
        const { event } = JSON.parse(body) as StoredEvent;
        return { id, orderingKey, attempts: attempt, error, event };
      });
    },
    retry: async (id) => (await runner.openQueue()).retry(id),
    discard: async (id, reason) =>
      (await runner.openQueue()).complete(id, JSON.stringify({ discarded: reason })),
    prune: () => runner.prune(),
    [Symbol.asyncDispose]: () => runner.stop(),
  } satisfies EventInbox);

  async function store(events: readonly MarketEvent[], checkpoint: Checkpoint | undefined) {
    const queue = await runner.queue();
    const wanted = events.filter(isWanted);
    const place = checkpoint && { ...checkpoint, types: warnings.types };
    const { added } = await queue.enqueue(wanted.map(toJob), { checkpoint: place });
    if (place !== undefined) warnings.recordWritten();
    const known = warnings.uncompared(wanted, added);
    if (known.length > 0) warnings.compare(known, await queue.find(known.map(({ id }) => id)));
    return added;
  }

  function isWanted({ type }: MarketEvent): boolean {
    return listenerOf(options, type) !== undefined;
  }

  /** A delivery of what was handled and forgotten long ago must not be handled again. */
  function isWantedDelivery(event: MarketEvent): boolean {
    return isWanted(event) && !(Date.parse(event.created_at) < time.clock() - keepDoneMs);
  }

  function toJob(event: MarketEvent) {
    const { id, created_at: createdAt } = event;
    const trace = announced.carrierOf(id);
    const stored: StoredEvent = { event, viaWebhook: announced.has(id), trace };
    return { id, orderingKey: orderingKeyOf(event), createdAt, body: JSON.stringify(stored) };
  }
}

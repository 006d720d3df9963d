/** `createEventInbox`: webhooks wake, the history decides, the engine keeps. */

import { safeLogger } from '../../logger.js';
import type { WebhookHandler } from '../../webhooks/handler/delivery-handler.js';
import type { MarketEvent } from '../../webhooks/events.js';
import { raceWithAbort, startTimeout } from '../queue/abort.js';
import { notify } from '../callbacks.js';
import { publish } from '../diagnostics.js';
import type { QueueCounts } from '../queue/job.js';
import { HistoryGapError, type PartnerChangedError } from '../errors.js';
import { HistoryReader, type PollReport } from '../history/history-reader.js';
import { sharePolls } from '../history/shared-poll.js';
import { QueueRunner } from '../queue/queue-runner.js';
import { Circuit } from './circuit.js';
import { Deliveries } from './deliveries.js';
import { resolveInboxOptions, type DeadLetter, type EventInboxOptions } from './inbox-options.js';
import { listenerOf } from './listener-of.js';
import { createOrderingKeys } from './ordering-key.js';
import { createReceiver } from './receive-delivery.js';
import { createListenerRunner, type StoredEvent } from './run-listener.js';

/** What a poll of an inbox did. */
export interface InboxPollReport extends PollReport {
  /** New events of this process's polls that no webhook reached this process for. */
  readonly missedWebhooks: number;
}

/** How an inbox stands. */
export interface InboxStatus extends QueueCounts {
  readonly lastPollAt: string | null;
  readonly lastWebhookAt: string | null;
  /**
   * New events of this process's polls that no webhook reached this process for. With one process
   * the registration or the endpoint is broken; with several, another may have got the webhook.
   */
  readonly missedWebhooks: number;
  /** Events that the history showed behind the checkpoint: the overlap found them. */
  readonly late: number;
  /** Deliveries of events that were stored already. */
  readonly duplicates: number;
  /** A gap that stopped the intake. */
  readonly gap: HistoryGapError | null;
  /** Why this process handles nothing for now; intake goes on. */
  readonly paused: string | null;
}

/** What `createEventInbox` returns: the four functions of a webhook handler, and its life. */
export interface EventInbox extends WebhookHandler {
  /** Polls once, then handles events and polls from time to time. Rejects when the poll fails. */
  start(): Promise<void>;
  /**
   * Claims nothing more, lets listeners end for `graceMs` (default 25,000), gives the rest back.
   * After it deliveries get 503, until `start` or `drain`.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
  /** Reads the history now. Calls at the same time share one poll. */
  poll(): Promise<InboxPollReport>;
  /** For a cron route: polls, handles what is due, returns when nothing is or the time is over. */
  drain(options: { readonly maxMs: number }): Promise<DrainReport>;
  status(): Promise<InboxStatus>;
  deadLetters(options?: { readonly limit?: number }): Promise<DeadLetter[]>;
  /** Handles a dead letter again, from attempt 1. `false`: there is none of this id. */
  retry(id: string): Promise<boolean>;
  /** Ends a dead letter without handling it; the reason is kept. `false`: there is none. */
  discard(id: string, reason: string): Promise<boolean>;
  /** Forgets done events that are older than `keepDoneMs`; runs daily after `start`. */
  prune(): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What one drain did. */
export interface DrainReport {
  readonly handled: number;
  readonly failed: number;
  readonly dead: number;
  /** Events that still wait or run. */
  readonly left: number;
}

/**
 * Creates a consumer that loses no event and handles each in the order of its sale. A webhook only
 * wakes it: it reads the history, stores what is new and answers 200; listeners run from the store.
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
export function createEventInbox<Tx = never>(options: EventInboxOptions<Tx>): EventInbox {
  const settings = resolveInboxOptions(options);
  const { time, poll: pollSettings, keepDoneMs } = settings;
  const logger = safeLogger(options.logger);
  const deliveries = new Deliveries(time.clock);
  const orderingKeyOf = createOrderingKeys(options.orderingKey, logger);
  const circuit = new Circuit(time.clock);
  const counts = { handled: 0, failed: 0, dead: 0 };
  const seen = { late: 0, duplicates: 0, lastPollAt: 0, lastWebhookAt: 0 };
  let gap: HistoryGapError | null = null;
  let partnerError: PartnerChangedError | undefined;

  const service = new QueueRunner(
    options.engine,
    {
      name: settings.queueName,
      leaseMs: settings.leaseMs,
      maxRunMs: settings.handlerTimeoutMs + 10_000,
      keepDoneMs,
    },
    { ...settings, logger, gate: circuit },
  );
  const reader = new HistoryReader({
    ...{
      market: options.market,
      startFrom: options.startFrom,
      poll: pollSettings,
      time,
      keepDoneMs,
    },
    readCheckpoint: async () => (await service.queue()).checkpoint(),
    store: async (events, checkpoint) => {
      const jobs = events.filter(({ type }) => listenerOf(options, type) !== undefined).map(toJob);
      const { added } = await (await service.queue()).enqueue(jobs, { checkpoint });
      deliveries.found(added);
      return added;
    },
    onGap: (found) => {
      publish('gap', { consumer: settings.name, cursor: found.cursor, oldest: found.oldest });
      return options.onGap?.(found) ?? 'stop';
    },
    onProgress: (progress) => void notify(() => options.onProgress?.(progress), logger),
  });
  const poll = sharePolls(() => service.run(pollHistory));
  const pollHistory = async (signal: AbortSignal): Promise<InboxPollReport> => {
    if (partnerError !== undefined) throw partnerError;
    try {
      const report = await reader.poll(signal);
      gap = null;
      seen.late += report.late;
      seen.lastPollAt = time.clock();
      const result = { ...report, missedWebhooks: deliveries.missed };
      publish('poll', { consumer: settings.name, ...result });
      return result;
    } catch (error) {
      if (error instanceof HistoryGapError) gap = error;
      throw error;
    }
  };
  const lastError = async (id: string) => (await (await service.queue()).find([id])).get(id)?.error;
  const run = createListenerRunner(settings, { deliveries, counts, circuit, lastError, logger });

  const handler = createReceiver({
    ...{ options, time, keepDoneMs, logger, deliveries, seen, reader, poll },
    queue: () => service.queue(),
    onPartnerChange: (error) => (partnerError = error),
  });

  return Object.freeze({
    ...handler,
    start: async () => {
      const signal = service.resume();
      await poll();
      await service.start(run, [{ everyMs: pollSettings.everyMs, run: pollUnlessRecent }], signal);
    },
    stop: (stopOptions) => service.stop(stopOptions?.graceMs),
    poll,
    drain: async ({ maxMs }) => {
      const before = { ...counts };
      service.resume();
      const until = time.clock() + maxMs;
      await pollFor(maxMs);
      const leftMs = until - time.clock();
      if (leftMs > 0) await service.drain(run, leftMs);
      const { waiting, running } = await (await service.queue()).counts();
      return {
        handled: counts.handled - before.handled,
        failed: counts.failed - before.failed,
        dead: counts.dead - before.dead,
        left: waiting + running,
      };
    },
    status: async () => ({
      ...(await (await service.openQueue()).counts()),
      lastPollAt: toIso(seen.lastPollAt),
      lastWebhookAt: toIso(seen.lastWebhookAt),
      missedWebhooks: options.secret === undefined ? 0 : deliveries.missed,
      ...{ late: seen.late, duplicates: seen.duplicates, gap, paused: circuit.reason },
    }),
    deadLetters: async ({ limit = 100 } = {}) => {
      const dead = await (await service.openQueue()).list('dead', limit);
      return dead.map(({ id, orderingKey, attempt, error = '', body = '' }) => {
        const { event } = JSON.parse(body) as StoredEvent;
        return { id, orderingKey, attempts: attempt, error, event };
      });
    },
    retry: async (id) => (await service.openQueue()).retry(id),
    discard: async (id, reason) =>
      (await service.openQueue()).complete(id, JSON.stringify({ discarded: reason })),
    prune: () => service.prune(),
    [Symbol.asyncDispose]: () => service.stop(),
  } satisfies EventInbox);

  /** A poll of its own, not a shared one: its end must not fail the deliveries that share it. */
  async function pollFor(maxMs: number): Promise<void> {
    const timeout = startTimeout(time, maxMs);
    const read = (stopped: AbortSignal) => {
      const signal = AbortSignal.any([stopped, timeout.signal]);
      return raceWithAbort(pollHistory(signal), timeout.signal);
    };
    try {
      await service.run(read);
    } catch (error) {
      if (!timeout.signal.aborted) throw error;
    } finally {
      await timeout.clear();
    }
  }

  /** Another process may have polled just now: its checkpoint says so. */
  async function pollUnlessRecent(): Promise<void> {
    const checkpoint = await (await service.queue()).checkpoint();
    const age = time.clock() - Date.parse(checkpoint?.at ?? '');
    if (!(age < pollSettings.everyMs * 0.8)) await poll();
  }

  function toJob(event: MarketEvent) {
    const { id, created_at: createdAt } = event;
    const trace = deliveries.carrierOf(id);
    const stored: StoredEvent = { event, viaWebhook: deliveries.has(id), trace };
    return { id, orderingKey: orderingKeyOf(event), createdAt, body: JSON.stringify(stored) };
  }
}

function toIso(ms: number): string | null {
  return ms === 0 ? null : new Date(ms).toISOString();
}

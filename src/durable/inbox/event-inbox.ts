/** `createEventInbox`: webhooks wake it, the history decides, the engine stores. */

import { bindMembers } from '../../core/bind-members.js';
import { lazily, strict, type Fields } from '../../core/schema/options.js';
import type { WebhookHandler } from '../../webhooks/handler/delivery-handler.js';
import type { MarketEvent } from '../../webhooks/events.js';
import { parseServiceTime } from '../../core/service-time.js';
import {
  checkDurableOptions,
  drainSchema,
  idSchema,
  reasonSchema,
  stopSchema,
} from '../options.js';
import { withTimeout } from '../../core/time/timeout.js';
import { pageFields } from '../queue/page.js';
import { Circuit } from '../circuit.js';
import { AnnouncedEvents } from './announced-events.js';
import { EventStore } from './event-store.js';
import type {
  DeadLetterListOptions,
  DeadLetterPage,
  DrainReport,
  EventInbox,
  InboxStatus,
} from './inbox-api.js';
import {
  resolveInboxOptions,
  type EventInboxOptions,
  type InboxSettings,
} from './inbox-options.js';
import { Intake } from './intake.js';
import { isFinal, type InboxPollReport } from './polling.js';
import { createReceiver } from './receive-delivery.js';
import { createListenerRunner } from './run-listener.js';
import { WaitingEvents } from './waiting-events.js';

/**
 * Creates an inbox: it stores each event in an engine (SQLite, PostgreSQL) before the delivery gets its
 * response, reads the history for events whose webhook was lost, and runs a listener for each event
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
 * createServer(inbox.node).listen(3000, '127.0.0.1');
 * await inbox.stop();
 * ```
 */
export function createEventInbox<Tx = never>(options: EventInboxOptions<Tx>): EventInbox {
  return new Inbox(options);
}

const deadLettersSchema = lazily(() =>
  strict(pageFields() satisfies Fields<DeadLetterListOptions>),
);

class Inbox<Tx> implements EventInbox {
  readonly fetch: WebhookHandler['fetch'];
  readonly node: WebhookHandler['node'];
  readonly lambda: WebhookHandler['lambda'];
  readonly handle: WebhookHandler['handle'];
  readonly poll: () => Promise<InboxPollReport>;

  readonly #settings: InboxSettings<Tx>;
  readonly #circuit: Circuit;
  readonly #store: EventStore<Tx>;
  readonly #intake: Intake;
  readonly #waiting: WaitingEvents<Tx>;
  readonly #counts = { handled: 0, failed: 0, dead: 0 };
  #isStopping = false;
  readonly #run;

  constructor(given: EventInboxOptions<Tx>) {
    const settings = resolveInboxOptions(given);
    const { time } = settings;
    const announced = new AnnouncedEvents(time.clock);
    const circuit = new Circuit(time, 'listener');
    const store = new EventStore(settings, announced, circuit);
    const run = <T>(task: (signal: AbortSignal) => Promise<T>) => store.runner.run(task);
    const intake = new Intake({ ...settings, announced, sink: store, run });
    const isWanted = (event: MarketEvent) => this.#isWantedDelivery(event);
    const isStopping = () => this.#isStopping;
    const waiting = new WaitingEvents(settings, isStopping);
    const receiver = createReceiver({ ...settings, intake, isWanted, isStopping });
    this.fetch = receiver.fetch;
    this.node = receiver.node;
    this.lambda = receiver.lambda;
    this.handle = receiver.handle;
    this.poll = intake.polling.poll;
    this.#settings = settings;
    this.#circuit = circuit;
    this.#store = store;
    this.#intake = intake;
    this.#waiting = waiting;
    const context = { announced, counts: this.#counts, circuit, waiting };
    this.#run = createListenerRunner(settings, context);
    bindMembers(this);
  }

  async start(): Promise<void> {
    const { runner } = this.#store;
    const { everyMs } = this.#settings.poll;
    const signal = runner.resume();
    this.#isStopping = false;
    const poll = { everyMs, run: () => this.#intake.polling.pollUnlessRecent() };
    await this.#settings.queues.check();
    // Before the first poll, so that stored events are handled even if the history cannot be read.
    await runner.start(this.#run, [poll], signal);
    try {
      await this.#intake.polling.begin(signal);
    } catch (error) {
      // After a stop() the runner may belong to the next start().
      if (!signal.aborted) await runner.stop();
      throw error;
    }
  }

  async stop(options: { readonly graceMs?: number | undefined } = {}): Promise<void> {
    const { graceMs } = checkDurableOptions(stopSchema, options);
    this.#isStopping = true;
    await this.#store.runner.stop(graceMs);
  }

  async drain(options: { readonly maxMs: number }): Promise<DrainReport> {
    const { maxMs } = checkDurableOptions(drainSchema, options);
    const { runner } = this.#store;
    const before = { ...this.#counts };
    const stopped = runner.resume();
    this.#isStopping = false;
    await withTimeout(this.#settings.time, maxMs, async (end) => {
      // In parallel, so that a history that does not respond leaves time for what is stored.
      const [failure] = await Promise.all([
        this.#intake.polling.pollUntil(end),
        runner.drain(this.#run, end),
      ]);
      // A second drain would open the queue again.
      stopped.throwIfAborted();
      if (!end.aborted) await runner.drain(this.#run, end);
      if (isFinal(failure)) throw failure;
    });
    const { waiting, running } = await (await runner.queue()).counts();
    return {
      handled: this.#counts.handled - before.handled,
      failed: this.#counts.failed - before.failed,
      dead: this.#counts.dead - before.dead,
      left: waiting + running,
    };
  }

  async status(): Promise<InboxStatus> {
    const counts = await (await this.#store.runner.openQueue()).counts();
    const waitingForSale = this.#waiting.size;
    const paused = this.#circuit.reason;
    const status = { ...counts, ...this.#intake.status, paused, waitingForSale };
    // Without a secret no webhook can come, so none is missed.
    const { secret } = this.#settings;
    return secret === undefined ? { ...status, missedWebhooks: 0 } : status;
  }

  async deadLetters(options: DeadLetterListOptions = {}): Promise<DeadLetterPage> {
    return this.#store.deadLetters(checkDurableOptions(deadLettersSchema, options));
  }

  async retry(id: string): Promise<boolean> {
    checkDurableOptions(idSchema, id, 'id');
    return (await this.#store.runner.openQueue()).retry(id);
  }

  async discard(id: string, reason: string): Promise<boolean> {
    checkDurableOptions(idSchema, id, 'id');
    checkDurableOptions(reasonSchema, reason, 'reason');
    const queue = await this.#store.runner.openQueue();
    return queue.complete(id, JSON.stringify({ discarded: reason }));
  }

  prune(): Promise<number> {
    return this.#store.runner.prune();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** An event that was handled and pruned long ago must not be handled again when it is redelivered. */
  #isWantedDelivery(event: MarketEvent): boolean {
    const { time, keepDoneMs } = this.#settings;
    const isForgotten = parseServiceTime(event.created_at) < time.clock() - keepDoneMs;
    return this.#store.hasListener(event) && !isForgotten;
  }
}

/** `EventStore`: the queue of an inbox, and everything that is read from it and written to it. */

import type { MarketEvent } from '../../webhooks/events.js';
import type { Checkpoint, Job, JobListOptions, JobRecord } from '../queue/job.js';
import { toPage } from '../queue/page.js';
import { QueueRunner } from '../queue/queue-runner.js';
import type { AnnouncedEvents } from './announced-events.js';
import type { Circuit } from '../circuit.js';
import { listenerOf } from './event-listeners.js';
import type { DeadLetterPage } from './inbox-api.js';
import type { DeadLetter, InboxSettings } from './inbox-options.js';
import { InboxWarnings } from './inbox-warnings.js';
import { ListenerPlaces } from './listener-places.js';
import { createOrderingKeys } from './ordering-key.js';
import type { EventSink } from './polling.js';
import { lostEvent, readStoredEvent, type StoredEvent } from './stored-event.js';

/** How far the history was read, and why the inbox that read it handles no event. */
export type InboxCheckpoint = Checkpoint & { readonly paused?: string | null };

export class EventStore<Tx> implements EventSink {
  readonly runner: QueueRunner<Tx>;
  readonly #settings: InboxSettings<Tx>;
  readonly #announced: AnnouncedEvents;
  readonly #circuit: Circuit;
  readonly #warnings: InboxWarnings;
  readonly #places: ListenerPlaces;
  readonly #orderingKeyOf: (event: MarketEvent) => string;

  constructor(settings: InboxSettings<Tx>, announced: AnnouncedEvents, circuit: Circuit) {
    const { engine, queues, leaseMs, keepDoneMs, logger } = settings;
    this.#settings = settings;
    this.#announced = announced;
    this.#circuit = circuit;
    this.#warnings = new InboxWarnings(settings);
    this.#places = new ListenerPlaces(this.#warnings.types, keepDoneMs / 2);
    this.#orderingKeyOf = createOrderingKeys(settings.orderingKey, logger);
    this.runner = new QueueRunner(
      engine,
      { name: queues.of('events'), leaseMs, keepDoneMs },
      { ...settings, supervise: (work, how) => circuit.work(work, how) },
    );
  }

  async readCheckpoint(): Promise<Checkpoint | undefined> {
    await this.#settings.queues.check();
    const stored = await (await this.runner.queue()).checkpoint();
    this.#warnings.checkTypes(stored);
    return this.#places.find(stored);
  }

  async store(
    events: readonly MarketEvent[],
    checkpoint: Checkpoint | undefined,
  ): Promise<readonly string[]> {
    const queue = await this.runner.queue();
    const warnings = this.#warnings;
    const wanted = events.filter((event) => this.hasListener(event));
    const place = checkpoint && this.#places.update(checkpoint, await queue.checkpoint());
    const jobs = wanted.map((event) => this.#toJob(event));
    const written: InboxCheckpoint | undefined = place && {
      ...place,
      paused: this.#circuit.reason,
    };
    const { added } = await queue.enqueue(jobs, { checkpoint: written });
    if (added.length > 0) this.runner.watchIdle();
    if (place !== undefined) warnings.recordWritten();
    const known = warnings.uncompared(wanted, added);
    if (known.length > 0) warnings.compare(known, await queue.find(known.map(({ id }) => id)));
    return added;
  }

  async has(event: MarketEvent): Promise<boolean> {
    const found = await (await this.runner.queue()).find([event.id]);
    this.#warnings.compare([event], found);
    return found.has(event.id);
  }

  hasListener({ type }: MarketEvent): boolean {
    return listenerOf(this.#settings, type) !== undefined;
  }

  async deadLetters(options: JobListOptions): Promise<DeadLetterPage> {
    const { items, nextCursor } = await (await this.runner.openQueue()).list('dead', options);
    return toPage(items.map(toDeadLetter), nextCursor);
  }

  #toJob(event: MarketEvent): Job {
    const { id, created_at: createdAt } = event;
    const trace = this.#announced.traceContextOf(id);
    const stored: StoredEvent = { event, viaWebhook: this.#announced.has(id), trace };
    return { id, orderingKey: this.#orderingKeyOf(event), createdAt, body: JSON.stringify(stored) };
  }
}

export function toDeadLetter(job: JobRecord): DeadLetter {
  const { id, orderingKey, attempt: attempts, error = '' } = job;
  // One row that was cut short must not hide all others.
  const event = readStoredEvent(job)?.event ?? lostEvent(job);
  return { id, orderingKey, attempts, error, event };
}

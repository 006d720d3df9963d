/** `ListenerRunner`: runs the listener of a stored event and judges its attempt. */

import type { MarketEvent } from '../../webhooks/events.js';
import { parseServiceTime } from '../../service-time.js';
import { backoffMs } from '../backoff.js';
import { describeError, notify } from '../callbacks.js';
import { publish, traceAttempt } from '../diagnostics.js';
import { handledOutput } from '../handled-refunds.js';
import type { ClaimedJob, JobResult } from '../queue/job.js';
import type { Circuit } from './circuit.js';
import type { AnnouncedEvents } from './announced-events.js';
import { Commits } from './commits.js';
import { listenerOf, type AnyListener } from './event-listeners.js';
import { lostEvent, readStoredEvent } from './stored-event.js';
import type { DeadLetter, InboxSettings } from './inbox-options.js';
import type { WaitingEvents } from './waiting-events.js';
import { runWithin } from '../../time/timeout.js';

/** Counts of what listeners did. */
interface ListenerCounts {
  handled: number;
  failed: number;
  dead: number;
}

/** The client's own errors that say nothing about the event: they use up no attempt at first. */
const transientErrors = ['AuthenticationError', 'RateLimitError'];
/** Since the event's first failure: a credential that stays refused must become a dead letter. */
const transientForMs = 3_600_000;

/** What the attempts of an inbox share. */
interface RunnerContext<Tx> {
  readonly announced: Pick<AnnouncedEvents, 'has' | 'traceContextOf'>;
  readonly counts: ListenerCounts;
  readonly circuit: Circuit;
  readonly waiting: Pick<WaitingEvents<Tx>, 'hold'>;
}

export class ListenerRunner<Tx> {
  readonly #settings: InboxSettings<Tx>;
  readonly #context: RunnerContext<Tx>;

  constructor(settings: InboxSettings<Tx>, context: RunnerContext<Tx>) {
    this.#settings = settings;
    this.#context = context;
  }

  /** Runs the listener of a stored event; its failure is a result. */
  async run(job: ClaimedJob<Tx>): Promise<JobResult> {
    const { name, retry, time, tracing } = this.#settings;
    const { announced, counts, circuit, waiting } = this.#context;
    const stored = readStoredEvent(job);
    if (stored === undefined) {
      const what = `The reading of the event ${job.id}`;
      return this.#failed(job, lostEvent(job), new Error(unreadable), what);
    }
    const { event, viaWebhook: wasAnnounced, trace } = stored;
    const viaWebhook = wasAnnounced || announced.has(event.id);
    const listener = listenerOf(this.#settings, event.type);
    // Another release stored it and may still be running; retry instead of dropping it.
    if (listener === undefined) return this.#failed(job, event, new Error(noListener(event.type)));
    const { id, attempt } = job;
    if (attempt > retry.maxAttempts) {
      return this.#deadLetter(
        job,
        event,
        'The process ended during the last attempt: its listener may end it.',
      );
    }
    const waits = await waiting.hold(job, event);
    if (waits !== undefined) {
      return 'deadLetter' in waits ? this.#deadLetter(job, event, waits.deadLetter) : waits;
    }
    const lagMs = time.clock() - parseServiceTime(event.created_at);
    const span = { consumer: name, id, type: event.type, attempt, viaWebhook, lagMs };
    const cause = trace ?? announced.traceContextOf(id);
    try {
      await traceAttempt(
        'event',
        span,
        () => this.#runListener(job, event, viaWebhook, listener),
        tracing?.event && ((run) => tracing.event?.(span, cause, run)),
      );
      counts.handled += 1;
      circuit.recordSuccess();
      return { done: handledOutput(event) };
    } catch (error) {
      return this.#failed(job, event, error);
    }
  }

  async #runListener(
    job: ClaimedJob<Tx>,
    event: MarketEvent,
    viaWebhook: boolean,
    listener: AnyListener<Tx>,
  ): Promise<void> {
    const { id, attempt } = job;
    const { handlerTimeoutMs: ms, logger, time } = this.#settings;
    const tooLong = () => new Error(`The listener took longer than ${ms} ms (handlerTimeoutMs).`);
    const commits = new Commits(job, handledOutput(event));
    try {
      const run = (timeout: AbortSignal) => {
        const signal = AbortSignal.any([job.signal, timeout]);
        const context = { id, attempt, signal, viaWebhook, commit: commits.commit };
        return listener(event, context);
      };
      await runWithin(time, ms, run, tooLong);
    } catch (error) {
      if (!(await commits.hasCommitted())) throw error;
      logger.warn(`The listener of ${event.type} failed after its commit; the event is done.`, {
        id,
        attempt,
        error: describeError(error),
      });
    }
    // Also for a commit that the listener did not wait for.
    await commits.throwIfFailed();
  }

  #failed(
    job: ClaimedJob<Tx>,
    event: MarketEvent,
    thrown: unknown,
    what = `The listener of ${event.type}`,
  ): JobResult {
    const { logger, retry, random } = this.#settings;
    const { counts, circuit } = this.#context;
    const { id, attempt, claims } = job;
    const error = describeError(thrown);
    const isTransient = this.#saysNothingAboutTheEvent(job, thrown);
    if (attempt >= retry.maxAttempts && !isTransient) return this.#deadLetter(job, event, error);
    counts.failed += 1;
    circuit.recordFailure();
    // An attempt that does not count leaves the number as it is, but its waits must grow.
    const retryInMs = backoffMs(isTransient ? claims : attempt, retry, random);
    const fields = { id, attempt, retryInMs, error };
    logger.warn(`${what} failed; it runs again.`, fields);
    return isTransient ? { retryInMs, error, countsAttempt: false } : { retryInMs, error };
  }

  #saysNothingAboutTheEvent({ failingSince }: ClaimedJob<Tx>, thrown: unknown): boolean {
    const { name: errorName } = Object(thrown) as { name?: unknown };
    const failingForMs =
      failingSince === undefined ? 0 : this.#settings.time.clock() - failingSince.getTime();
    return transientErrors.includes(errorName as string) && failingForMs < transientForMs;
  }

  #deadLetter(job: ClaimedJob<Tx>, event: MarketEvent, error: string): JobResult {
    const { logger, name, onDeadLetter } = this.#settings;
    const { counts, circuit } = this.#context;
    const { id, orderingKey, attempt } = job;
    counts.dead += 1;
    logger.error(`The event ${id} (${event.type}) is a dead letter.`, {
      id,
      orderingKey,
      attempt,
      error,
    });
    if (circuit.recordDeadLetter())
      logger.error('Event handling paused; intake continues.', { reason: circuit.reason });
    publish('dead-letter', { consumer: name, id, type: event.type, attempt });
    const letter: DeadLetter = { id, orderingKey, attempts: attempt, error, event };
    void notify(() => onDeadLetter?.(letter), logger);
    return { deadLetter: error };
  }
}

const unreadable =
  'What the engine has stored for the event cannot be read: it was changed. events.list has it.';

function noListener(type: string): string {
  return `No listener for ${type} in this process. A process that has one will handle it; otherwise discard the event.`;
}

/** `createListenerRunner`: runs the listener of a stored event and judges its attempt. */

import type { SafeLogger } from '../../logger.js';
import type { TraceCarrier } from '../tracing.js';
import type { MarketEvent } from '../../webhooks/events.js';
import { backoffMs } from '../backoff.js';
import { describeError, notify, runWithin } from '../callbacks.js';
import { publish, traceAttempt } from '../diagnostics.js';
import type { ClaimedJob, JobResult } from '../queue/job.js';
import type { Circuit } from './circuit.js';
import type { AnnouncedEvents } from './announced-events.js';
import { Commits } from './commits.js';
import { listenerOf, type AnyListener } from './event-listeners.js';
import type { DeadLetter, InboxSettings } from './inbox-options.js';

/** What is stored for an event, as JSON. */
export interface StoredEvent {
  readonly event: MarketEvent;
  /** Whether its webhook had come when it was stored. */
  readonly viaWebhook: boolean;
  /** The trace of that webhook, where the inbox is traced. */
  readonly trace?: TraceCarrier | undefined;
}

/** Counts of what listeners did. */
export interface ListenerCounts {
  handled: number;
  failed: number;
  dead: number;
}

/** The client's own errors that say nothing about the event: they use up no attempt at first. */
const transientErrors = ['AuthenticationError', 'RateLimitError'];
/** Since the event's first failure: a credential that stays refused must become a dead letter. */
const transientForMs = 3_600_000;

/** What the attempts of an inbox share. */
export interface RunnerContext {
  readonly announced: Pick<AnnouncedEvents, 'has' | 'carrierOf'>;
  readonly counts: ListenerCounts;
  readonly circuit: Circuit;
  readonly logger: SafeLogger;
}

export function createListenerRunner<Tx>(
  settings: InboxSettings<Tx>,
  { announced, counts, circuit, logger }: RunnerContext,
): (job: ClaimedJob<Tx>) => Promise<JobResult> {
  const { options, name, retry, random, time } = settings;

  return async (job) => {
    const { event, viaWebhook: wasAnnounced, trace } = JSON.parse(job.body) as StoredEvent;
    const viaWebhook = wasAnnounced || announced.has(event.id);
    const listener = listenerOf(options, event.type);
    // Another release stored it and may still be running; retry instead of dropping it.
    if (listener === undefined) return failed(job, event, new Error(noListener(event.type)));
    const { id, attempt } = job;
    if (attempt > retry.maxAttempts) {
      return deadLetter(
        job,
        event,
        'The process ended during each attempt, so its listener may end it.',
      );
    }
    const lagMs = time.clock() - Date.parse(event.created_at);
    const span = { consumer: name, id, type: event.type, attempt, viaWebhook, lagMs };
    const cause = trace ?? announced.carrierOf(id);
    const { tracing } = options;
    try {
      await traceAttempt(
        'event',
        span,
        () => runListener(job, event, viaWebhook, listener),
        tracing?.event && ((run) => tracing.event?.(span, cause, run)),
      );
      counts.handled += 1;
      circuit.recordSuccess();
      return { done: undefined };
    } catch (error) {
      return failed(job, event, error);
    }
  };

  async function runListener(
    job: ClaimedJob<Tx>,
    event: MarketEvent,
    viaWebhook: boolean,
    listener: AnyListener<Tx>,
  ): Promise<void> {
    const { id, attempt } = job;
    const ms = settings.handlerTimeoutMs;
    const message = `The listener took longer than ${ms} ms (handlerTimeoutMs).`;
    const commits = new Commits(job);
    try {
      await runWithin({ time, ms, message }, (timeout) => {
        const signal = AbortSignal.any([job.signal, timeout]);
        const context = { id, attempt, signal, viaWebhook, commit: commits.commit };
        return listener(event, context);
      });
    } catch (error) {
      if (!(await commits.hasCommitted())) throw error;
      logger.warn(`The listener of ${event.type} failed after its commit; the event is done.`, {
        id,
        attempt,
        error: describeError(error),
      });
    }
    // Also of a commit that the listener did not wait for.
    await commits.throwIfFailed();
  }

  function failed(job: ClaimedJob<Tx>, event: MarketEvent, thrown: unknown): JobResult {
    const { id, attempt, claims } = job;
    const error = describeError(thrown);
    const isTransient = saysNothingAboutTheEvent(job, thrown);
    if (attempt >= retry.maxAttempts && !isTransient) return deadLetter(job, event, error);
    counts.failed += 1;
    circuit.recordFailure();
    // Attempts that do not count stay at their number, and their waits must grow all the same.
    const retryInMs = backoffMs(isTransient ? claims : attempt, retry, random);
    const fields = { id, attempt, retryInMs, error };
    logger.warn(`The listener of ${event.type} failed; it runs again.`, fields);
    return isTransient ? { retryInMs, error, countsAttempt: false } : { retryInMs, error };
  }

  function saysNothingAboutTheEvent({ failingSince }: ClaimedJob<Tx>, thrown: unknown): boolean {
    const { name: errorName } = Object(thrown) as { name?: unknown };
    const failingForMs = failingSince === undefined ? 0 : time.clock() - failingSince.getTime();
    return transientErrors.includes(errorName as string) && failingForMs < transientForMs;
  }

  function deadLetter(job: ClaimedJob<Tx>, event: MarketEvent, error: string): JobResult {
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
    void notify(() => options.onDeadLetter?.(letter), logger);
    return { deadLetter: error };
  }
}

function noListener(type: string): string {
  return `No listener for ${type} in this process. A process that has one will handle it; otherwise discard the event.`;
}

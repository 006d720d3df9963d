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

/** The client's own errors that say nothing about the event; they use up no attempt for so long. */
const passingErrors = ['AuthenticationError', 'RateLimitError'];
const passingErrorsMs = 3_600_000;

/** What the attempts of an inbox share. */
export interface RunnerContext {
  readonly announced: Pick<AnnouncedEvents, 'has' | 'carrierOf'>;
  readonly counts: ListenerCounts;
  readonly circuit: Circuit;
  /** What the engine keeps of the last attempt that failed. */
  readonly lastError: (id: string) => Promise<string | undefined>;
  readonly logger: SafeLogger;
}

export function createListenerRunner<Tx>(
  settings: InboxSettings<Tx>,
  { announced, counts, circuit, lastError, logger }: RunnerContext,
): (job: ClaimedJob<Tx>) => Promise<JobResult> {
  const { options, name, retry, random, time } = settings;

  return async (job) => {
    const { event, viaWebhook: wasAnnounced, trace } = JSON.parse(job.body) as StoredEvent;
    const viaWebhook = wasAnnounced || announced.has(event.id);
    const listener = listenerOf(options, event.type);
    // Another release stored it and may still be running; retry instead of dropping it.
    if (listener === undefined) return failed(job, event, new Error(noListener(event.type)));
    const { id, attempt } = job;
    if (attempt > retry.maxAttempts && !(await wasUncounted(id, attempt - 1))) {
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

  /** Whether the attempt met a passing error, in whichever process; a dead process wrote nothing. */
  async function wasUncounted(id: string, attempt: number): Promise<boolean> {
    try {
      return (await lastError(id))?.startsWith(uncounted(attempt)) === true;
    } catch {
      // One attempt too many harms less than a dead letter.
      return true;
    }
  }

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
    const { id, attempt } = job;
    const error = describeError(thrown);
    const { name: errorName } = Object(thrown) as { name?: unknown };
    const ageMs = time.clock() - job.enqueuedAt.getTime();
    const isPassing = passingErrors.includes(errorName as string) && ageMs < passingErrorsMs;
    if (attempt >= retry.maxAttempts && !isPassing) return deadLetter(job, event, error);
    counts.failed += 1;
    circuit.recordFailure();
    const retryInMs = backoffMs(attempt, retry, random);
    logger.warn(`The listener of ${event.type} failed; it runs again.`, {
      id,
      attempt,
      retryInMs,
      error,
    });
    return { retryInMs, error: isPassing ? uncounted(attempt) + error : error };
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

/** How the stored error of such an attempt begins: another process reads it. */
function uncounted(attempt: number): string {
  return `Attempt ${attempt} is not counted: `;
}

function noListener(type: string): string {
  return `No listener for ${type} in this process. A process that has one will handle it; otherwise discard the event.`;
}

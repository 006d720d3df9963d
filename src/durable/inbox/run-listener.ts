/** `createListenerRunner`: runs the listener of a stored event and judges its attempt. */

import type { MarketEvent } from '../../webhooks/events.js';
import { parseServiceTime } from '../../core/service-time.js';
import { backoffMs } from '../backoff.js';
import { describeError, notify } from '../callbacks.js';
import { runWithCommits } from '../commits.js';
import { publish, traceAttempt } from '../diagnostics.js';
import { handledOutput } from '../handled-refunds.js';
import type { ClaimedJob, JobResult } from '../queue/job.js';
import type { Circuit } from '../circuit.js';
import type { AnnouncedEvents } from './announced-events.js';
import { listenerOf, type AnyListener, type CommitContext } from './event-listeners.js';
import { lostEvent, readStoredEvent } from './stored-event.js';
import type { DeadLetter, InboxSettings } from './inbox-options.js';
import type { WaitingEvents } from './waiting-events.js';
import { runWithin } from '../../core/time/timeout.js';

/** The client's own errors that say nothing about the event: they use up no attempt at first. */
const transientErrors = ['AuthenticationError', 'RateLimitError'];
/** Since the event's first failure: a credential that stays refused must become a dead letter. */
const transientForMs = 3_600_000;

/** What the attempts of an inbox share. */
interface RunnerContext<Tx> {
  readonly announced: Pick<AnnouncedEvents, 'has' | 'traceContextOf'>;
  /** What listeners did. */
  readonly counts: Record<'handled' | 'failed' | 'dead', number>;
  readonly circuit: Circuit;
  readonly waiting: Pick<WaitingEvents<Tx>, 'hold'>;
}

/** An attempt that is retried. */
interface Repetition {
  readonly error: string;
  readonly what?: string | undefined;
  readonly isCounted: boolean;
  readonly leastMs: number;
}

/** Runs the listener of a stored event; its failure is a result. */
export function createListenerRunner<Tx>(
  settings: InboxSettings<Tx>,
  { announced, counts, circuit, waiting }: RunnerContext<Tx>,
): (job: ClaimedJob<Tx>) => Promise<JobResult> {
  const { name, retry, time, tracing, random, logger, handlerTimeoutMs, onDeadLetter } = settings;

  return async (job) => {
    const stored = readStoredEvent(job);
    if (stored === undefined) {
      const what = `The reading of the event ${job.id}`;
      return failedAlone(job, lostEvent(job), unreadable, what);
    }
    const { event, viaWebhook: wasAnnounced, trace } = stored;
    const viaWebhook = wasAnnounced || announced.has(event.id);
    const listener = listenerOf(settings, event.type);
    // Another release stored it and may still be running; retry instead of dropping it.
    if (listener === undefined) return failedAlone(job, event, noListener(event.type));
    const { id, attempt } = job;
    if (attempt > retry.maxAttempts) {
      const why = 'The process ended during the last attempt. Does its listener end it?';
      return deadLetter(job, event, why);
    }
    const waits = await waiting.hold(job, event);
    if (waits !== undefined) {
      return 'deadLetter' in waits ? deadLetter(job, event, waits.deadLetter) : waits;
    }
    const lagMs = time.clock() - parseServiceTime(event.created_at);
    const span = { consumer: name, id, type: event.type, attempt, viaWebhook, lagMs };
    const cause = trace ?? announced.traceContextOf(id);
    try {
      await traceAttempt(
        'event',
        span,
        () => runListener(job, event, viaWebhook, listener),
        tracing?.event && ((run) => tracing.event?.(span, cause, run)),
      );
      counts.handled += 1;
      circuit.recordSuccess(id);
      return { done: handledOutput(event) };
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
    const tooLong = () =>
      new Error(`The listener took longer than ${handlerTimeoutMs} ms (handlerTimeoutMs).`);
    const run = (commit: CommitContext<Tx>['commit']) =>
      runWithin(
        time,
        handlerTimeoutMs,
        (timeout) => {
          const signal = AbortSignal.any([job.signal, timeout]);
          return listener(event, { id, attempt, signal, viaWebhook, commit });
        },
        tooLong,
      );
    await runWithCommits(job, handledOutput(event), run, (error) => {
      const fields = { id, attempt, error: describeError(error) };
      logger.warn(
        `The listener of ${event.type} failed after its commit; the event is done.`,
        fields,
      );
    });
  }

  /** No listener has run: what others do says nothing about this event. */
  function failedAlone(
    job: ClaimedJob<Tx>,
    event: MarketEvent,
    why: string,
    what?: string,
  ): JobResult {
    const error = describeError(new Error(why));
    if (job.attempt >= retry.maxAttempts) return deadLetter(job, event, error);
    return repeat(job, event, { error, what, isCounted: true, leastMs: 0 });
  }

  function failed(job: ClaimedJob<Tx>, event: MarketEvent, thrown: unknown): JobResult {
    const error = describeError(thrown);
    const { counts: isOwn, opened, leastMs } = circuit.recordFailure(job.id);
    if (opened) {
      logger.error('Event handling paused; intake continues.', { reason: circuit.reason, error });
    }
    const isCounted = isOwn && !saysNothingAboutTheEvent(job, thrown);
    if (isCounted && job.attempt >= retry.maxAttempts) return deadLetter(job, event, error);
    return repeat(job, event, { error, isCounted, leastMs });
  }

  function repeat(
    { id, attempt, claims }: ClaimedJob<Tx>,
    { type }: MarketEvent,
    { error, what = `The listener of ${type}`, isCounted, leastMs }: Repetition,
  ): JobResult {
    counts.failed += 1;
    // An attempt that does not count leaves the number as it is, but its waits must grow.
    const waitMs = backoffMs(isCounted ? attempt : claims, retry, random);
    const retryInMs = Math.max(waitMs, leastMs);
    logger.warn(`${what} failed and will be retried.`, { id, attempt, retryInMs, error });
    return isCounted ? { retryInMs, error } : { retryInMs, error, countsAttempt: false };
  }

  function saysNothingAboutTheEvent({ failingSince }: ClaimedJob<Tx>, thrown: unknown): boolean {
    const { name: errorName } = Object(thrown) as { name?: unknown };
    const failingForMs = failingSince === undefined ? 0 : time.clock() - failingSince.getTime();
    return transientErrors.includes(errorName as string) && failingForMs < transientForMs;
  }

  function deadLetter(job: ClaimedJob<Tx>, event: MarketEvent, error: string): JobResult {
    const { id, orderingKey, attempt } = job;
    counts.dead += 1;
    const fields = { id, orderingKey, attempt, error };
    logger.error(`The event ${id} (${event.type}) is a dead letter.`, fields);
    circuit.forget(id);
    publish('dead-letter', { consumer: name, id, type: event.type, attempt });
    const letter: DeadLetter = { id, orderingKey, attempts: attempt, error, event };
    void notify(() => onDeadLetter?.(letter), logger);
    return { deadLetter: error };
  }
}

const unreadable =
  'What the engine has stored for the event is unreadable, because something else modified it. events.list has the event.';

function noListener(type: string): string {
  return `No listener for ${type} in this process. A process that has one will handle it; otherwise discard the event.`;
}

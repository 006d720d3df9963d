/** `createReporter`: runs the callback of a stored result until it has ended. */

import { backoffMs } from '../backoff.js';
import { describeError } from '../callbacks.js';
import type { Circuit } from '../circuit.js';
import { runWithCommits } from '../commits.js';
import type { ClaimedJob, JobResult } from '../queue/job.js';
import { attentionMessages } from './attention-message.js';
import type { OutboxSettings } from './outbox-options.js';
import type { OutboxContext } from './outbox-types.js';
import { keyOf } from './stored-intent.js';
import { withoutBuyer, type PendingCallback, type StoredNote } from './stored-verdict.js';
import { runWithin } from '../../core/time/timeout.js';

const retry = { maxAttempts: 12, baseMs: 1_000, maxMs: 900_000 };
/** The longest run of a callback. */
export const callbackTimeoutMs = 60_000;

interface Attempt<Tx> extends Pick<OutboxContext<Tx>, 'commit'> {
  readonly job: ClaimedJob<Tx>;
  readonly timeout: AbortSignal;
}

/** Runs the callback of a stored result; its failure is a result. */
export function createReporter<Tx>(
  settings: OutboxSettings<Tx, never>,
  circuit: Circuit,
): (job: ClaimedJob<Tx>) => Promise<JobResult> {
  const { time, random, logger } = settings;

  return async (job) => {
    let content: PendingCallback | StoredNote | undefined;
    try {
      content = JSON.parse(job.body) as PendingCallback | StoredNote;
      // A note is only read: it has no callback.
      if ('note' in content) return { done: job.body };
      const pending = content;
      if (job.attempt > retry.maxAttempts) {
        throw new Error('Every attempt ended with the process; the callback probably crashes it.');
      }
      const tooLong = () => new Error(`The callback took longer than ${callbackTimeoutMs} ms.`);
      const run = (commit: OutboxContext<Tx>['commit']) =>
        runWithin(
          time,
          callbackTimeoutMs,
          (timeout) => runCallback(pending, { job, timeout, commit }),
          tooLong,
        );
      // The result stays readable after it was reported.
      const output = JSON.stringify(withoutBuyer(pending));
      await runWithCommits(job, output, run, (error) => {
        const key = keyOf(job.id);
        const fields = { key, attempt: job.attempt, error: describeError(error) };
        logger.warn(
          `The callback for sale ${key} threw after committing. The commit is kept; the callback will not run again.`,
          fields,
        );
      });
      circuit.recordSuccess(job.id);
      return { done: output };
    } catch (thrown) {
      return failed(content as PendingCallback | undefined, job, describeError(thrown));
    }
  };

  function runCallback(
    { intent: { key, order }, verdict }: PendingCallback,
    { job, timeout, commit }: Attempt<Tx>,
  ): unknown {
    const intent = { key, order };
    const signal = AbortSignal.any([job.signal, timeout]);
    const context: OutboxContext<Tx> = { attempt: job.attempt, signal, commit };
    switch (verdict.state) {
      case 'placed':
        return settings.onPlaced(verdict.order, intent, context);
      case 'refused':
        return settings.onRefused(verdict.refusal, intent, context);
      case 'refunded':
        return callbackOf(settings, 'onRefunded')(verdict.order, intent, context);
      case 'not_refunded':
        return callbackOf(settings, 'onNotRefunded')(verdict.notRefunded, intent, context);
      case 'attention':
        return settings.onAttention(verdict.attention, intent, context);
    }
  }

  function failed(
    pending: PendingCallback | undefined,
    { id, attempt, claims }: ClaimedJob<Tx>,
    error: string,
  ): JobResult {
    const key = keyOf(id);
    const verdict = pending?.verdict;
    // Of a row that was cut short, what others do says nothing.
    const { counts, opened, leastMs } = pending === undefined ? unread : circuit.recordFailure(id);
    if (opened) {
      const message =
        'No callback has succeeded for a minute. Results wait, and one is tried each minute.';
      logger.error(message, { reason: circuit.reason, error });
    }
    // The process ended during each attempt, or other callbacks succeed.
    const isExhausted = attempt > retry.maxAttempts || (counts && attempt >= retry.maxAttempts);
    if (!isExhausted) {
      logger.warn(`The callback for sale ${key} failed.`, { key, attempt, error });
      // An attempt that does not count leaves the number as it is, but its waits must grow.
      const waitMs = backoffMs(counts ? attempt : claims, retry, random);
      const again = { retryInMs: Math.max(waitMs, leastMs), error };
      return counts ? again : { ...again, countsAttempt: false };
    }
    circuit.forget(id);
    // The sale itself stays in attention, where list() and status() show it.
    const message =
      verdict?.state === 'attention'
        ? `onAttention failed for good for sale ${key}: ${verdict.attention.message}`
        : attentionMessages.handlerFailed(key, verdict, error);
    logger.error(message, { key, attempt, error });
    return pending?.verdict.state === 'attention'
      ? { done: JSON.stringify(withoutBuyer(pending)) }
      : { deadLetter: error };
  }
}

const unread = { counts: true, opened: false, leastMs: 0 };

/** Another program called `refund`: this one has no callback for it, and leaves it to that one. */
function callbackOf<Tx, Name extends 'onRefunded' | 'onNotRefunded'>(
  settings: OutboxSettings<Tx, never>,
  name: Name,
): NonNullable<OutboxSettings<Tx, never>[Name]> {
  const callback = settings[name];
  if (callback === undefined) throw new Error(`This outbox has no ${name}.`);
  return callback;
}

/** `createVerdictReporter`: runs the callback of a stored verdict until it has ended. */

import { backoffMs } from '../backoff.js';
import { describeError, runWithin } from '../callbacks.js';
import type { ClaimedJob, JobResult } from '../queue/job.js';
import type { OutboxSettings } from './outbox-options.js';
import type { OutboxContext } from './outbox-types.js';
import type { PendingCallback, StoredNote } from './stored-verdict.js';

const retry = { maxAttempts: 12, baseMs: 1_000, maxMs: 900_000 };
/** The longest run of a callback. */
export const callbackTimeoutMs = 60_000;

export function createVerdictReporter<Tx, AddTx>(
  settings: OutboxSettings<Tx, AddTx>,
): (job: ClaimedJob<Tx>) => Promise<JobResult> {
  const { options, time, random, logger } = settings;
  const message = `The callback took longer than ${callbackTimeoutMs} ms.`;
  const limit = { time, ms: callbackTimeoutMs, message };

  return async (job) => {
    const content = JSON.parse(job.body) as PendingCallback | StoredNote;
    // A note is only read: it has no callback.
    if ('note' in content) return { done: job.body };
    const { attempt } = job;
    try {
      if (attempt > retry.maxAttempts) {
        throw new Error('Every attempt ended with the process; the callback probably crashes it.');
      }
      await runWithin(limit, (timeout) =>
        runCallback(content, {
          attempt,
          signal: AbortSignal.any([job.signal, timeout]),
          // The verdict stays readable after it was reported.
          commit: (write) => job.commit(write, job.body),
        }),
      );
      return { done: job.body };
    } catch (thrown) {
      return failed(content, attempt, describeError(thrown), job.body);
    }
  };

  function failed(
    { intent, verdict }: PendingCallback,
    attempt: number,
    error: string,
    body: string,
  ): JobResult {
    const isExhausted = attempt >= retry.maxAttempts;
    const level = isExhausted ? 'error' : 'warn';
    logger[level](`The callback for the intent ${intent.key} failed.`, { attempt, error });
    if (!isExhausted) return { retryInMs: backoffMs(attempt, retry, random), error };
    // The intent itself stays in attention, where list() and status() show it.
    return verdict.state === 'attention' ? { done: body } : { deadLetter: error };
  }

  function runCallback(
    { intent: { key, order }, verdict }: PendingCallback,
    context: OutboxContext<Tx>,
  ): unknown {
    const intent = { key, order };
    switch (verdict.state) {
      case 'placed':
        return options.onPlaced(verdict.order, intent, context);
      case 'refused':
        return options.onRefused(verdict.refusal, intent, context);
      case 'attention':
        return options.onAttention(verdict.attention, intent, context);
    }
  }
}

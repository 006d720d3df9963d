/** `createVerdictReporter`: runs the callback of a stored verdict until it has ended. */

import { backoffMs } from '../backoff.js';
import { describeError, runWithin } from '../callbacks.js';
import type { ClaimedJob, JobResult } from '../queue/job.js';
import type { OutboxSettings } from './outbox-options.js';
import type { OutboxContext, StoredVerdict } from './outbox-types.js';
import type { StoredReport } from './place-order.js';
import type { StoredIntent } from './stored-intent.js';

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
    const { intent, verdict } = JSON.parse(job.body) as StoredReport;
    const { attempt } = job;
    try {
      if (attempt > retry.maxAttempts) throw new Error('The process ended during each attempt.');
      await runWithin(limit, (timeout) =>
        callback(verdict, intent, {
          attempt,
          signal: AbortSignal.any([job.signal, timeout]),
          // The verdict stays readable after it was reported.
          commit: (write) => job.commit(write, job.body),
        }),
      );
      return { done: job.body };
    } catch (thrown) {
      const error = describeError(thrown);
      const retryInMs = backoffMs(attempt, retry, random);
      const isExhausted = attempt >= retry.maxAttempts;
      const level = isExhausted ? 'error' : 'warn';
      logger[level](`The callback for the intent ${intent.key} failed.`, { attempt, error });
      if (!isExhausted) return { retryInMs, error };
      // The intent itself stays in attention, where list() and status() show it.
      return verdict.state === 'attention' ? { done: job.body } : { deadLetter: error };
    }
  };

  function callback(
    verdict: StoredVerdict,
    { key, order }: StoredIntent,
    context: OutboxContext<Tx>,
  ): unknown {
    const intent = { key, order };
    switch (verdict.state) {
      case 'placed':
        return options.onPlaced?.(verdict.order, intent, context);
      case 'refused':
        return options.onRefused?.(verdict.refusal, intent, context);
      case 'attention':
        return options.onAttention?.(verdict.attention, intent, context);
    }
  }
}

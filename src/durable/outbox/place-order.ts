/** `createOrderPlacer`: one attempt of an intent, from the claim to the stored verdict. */

import { isOldKey, lookUpDeadlineMs, reachVerdict } from '../../client/sale/reach-verdict.js';
import type { Verdict } from '../../client/sale/decide-verdict.js';
import { backoffMs } from '../backoff.js';
import { describeError } from '../callbacks.js';
import type { OrderSpan } from '../tracing.js';
import { traceAttempt } from '../diagnostics.js';
import type { ClaimedJob, Job, JobResult } from '../queue/job.js';
import type { OutboxSettings } from './outbox-options.js';
import type { Attention, StoredVerdict } from './outbox-types.js';
import { hashOrder, type StoredIntent } from './stored-intent.js';
import { verdictName } from './verdict-name.js';

/** What is stored of a verdict whose callback is due, as JSON. */
export interface StoredReport {
  readonly intent: StoredIntent;
  readonly verdict: StoredVerdict;
}

/** The verdicts of an outbox, and why it pauses. */
export interface PlacerContext {
  /** Stores a verdict for its callback. An id that is known keeps its first verdict. */
  readonly report: (id: string, report: StoredReport) => Promise<void>;
  readonly reported: (key: string) => Promise<StoredReport | undefined>;
  readonly pause: { until: number; why: string | null };
  readonly counts: { placed: number; refused: number; attention: number };
}

/** Open verdicts are repeated for a day: short waits first, for what passes by itself. */
const openBackoff = { baseMs: 1_000, maxMs: 300_000 };
/** The service refused the credential: every order would be refused. */
const credentialPauseMs = 60_000;

export function createOrderPlacer<Tx, AddTx>(
  settings: OutboxSettings<Tx, AddTx>,
  context: PlacerContext,
): (job: ClaimedJob<Tx>) => Promise<JobResult> {
  const { options, name, time, random, logger, idempotencyWindowMs, escalateAfterMs } = settings;
  const { orders } = options.market;

  return async (job) => {
    const intent = JSON.parse(job.body) as StoredIntent;
    const earlier = await context.reported(intent.key);
    // The process ended between storing the verdict and ending the attempt.
    if (earlier !== undefined) return { done: JSON.stringify(earlier) };
    const pausedMs = context.pause.until - time.clock();
    if (pausedMs > 0) return { retryInMs: pausedMs, error: context.pause.why ?? 'paused' };

    if (hashOrder(intent.order) !== intent.sha256) {
      const message = 'The stored order is not the one that was added: it is not sent.';
      return attend(job, intent, { reason: 'invalid_input', candidates: [], message });
    }

    const span: OrderSpan = { consumer: name, key: intent.key, attempt: job.attempt };
    const { tracing } = options;
    const reach = async () => {
      const reached = await attempt(job, intent);
      span.verdict = reached.state;
      return reached;
    };
    const trace =
      tracing?.order && ((run: () => Promise<unknown>) => tracing.order?.(span, intent.trace, run));
    const verdict = await traceAttempt('order', span, reach, trace);
    return conclude(job, intent, verdict);
  };

  function attempt(job: ClaimedJob<Tx>, intent: StoredIntent): Promise<Verdict> {
    const { order, key, addedAt, isNew = false } = intent;
    const { signal } = job;
    // A recovered intent may have been sent long ago, and a restored database has lost its claims.
    const keyIsOld = !isNew || isOldKey(addedAt, time.clock(), idempotencyWindowMs);
    return reachVerdict({
      sale: { input: order },
      mayHaveBeenSent: keyIsOld || job.claims > 1,
      keyIsOld,
      send: () => orders.create(order, { idempotencyKey: key, signal }),
      readOrders: (filters, limits) => orders.list(filters, { ...limits, signal }),
      lookUpDeadlineMs,
      nowMs: time.clock,
      sleep: async (ms) => {
        await time.sleep(ms, signal);
        signal.throwIfAborted();
      },
    });
  }

  async function conclude(
    job: ClaimedJob<Tx>,
    intent: StoredIntent,
    verdict: Verdict,
  ): Promise<JobResult> {
    switch (verdict.state) {
      case 'placed':
        return settle(job, intent, { state: 'placed', order: verdict.order });
      case 'refused': {
        const { reason, confirmed, error } = verdict;
        return settle(job, intent, {
          state: 'refused',
          refusal: { reason, confirmed, message: messageOf(error) },
        });
      }
      case 'attention': {
        const { reason, candidates, error } = verdict;
        return attend(job, intent, { reason, candidates, message: messageOf(error) });
      }
      case 'open':
        return postpone(job, intent, verdict);
    }
  }

  async function settle(
    job: ClaimedJob<Tx>,
    intent: StoredIntent,
    verdict: Exclude<StoredVerdict, { state: 'attention' }>,
  ): Promise<JobResult> {
    const report = { intent, verdict };
    await context.report(intent.key, report);
    const kept = (await context.reported(intent.key))?.verdict ?? verdict;
    if (verdictName(kept) !== verdictName(verdict)) {
      const candidates = [kept, verdict].flatMap((it) => (it.state === 'placed' ? [it.order] : []));
      const message = `It is ${verdictName(verdict)}, and was told as ${verdictName(kept)} meanwhile.`;
      return attend(job, intent, { reason: 'ambiguous', candidates, message });
    }
    context.counts[verdict.state] += 1;
    logger.info(`The intent ${intent.key} is ${verdict.state}.`, { key: intent.key });
    return { done: JSON.stringify(report) };
  }

  async function attend(
    job: ClaimedJob<Tx>,
    intent: StoredIntent,
    attention: Attention,
  ): Promise<JobResult> {
    const { key } = intent;
    await context.report(`${key} attention ${job.claims}`, {
      intent,
      verdict: { state: 'attention', attention },
    });
    context.counts.attention += 1;
    logger.error(`The intent ${key} needs a person: ${attention.reason}.`, { key });
    return { deadLetter: JSON.stringify(attention) };
  }

  async function postpone(
    job: ClaimedJob<Tx>,
    intent: StoredIntent,
    { cause, error, retryAfterMs = 0 }: Extract<Verdict, { state: 'open' }>,
  ): Promise<JobResult> {
    const message = messageOf(error);
    const noOrders = { candidates: [], message };
    const { name: errorName } = Object(error) as { name?: unknown };
    if (errorName === 'InvalidRequestError') {
      return attend(job, intent, { reason: 'invalid_input', ...noOrders });
    }
    if (time.clock() - intent.addedAt > escalateAfterMs) {
      return attend(job, intent, { reason: 'not_placed_in_time', ...noOrders });
    }
    if (cause === 'credentials') {
      context.pause.until = time.clock() + credentialPauseMs;
      context.pause.why = message;
      logger.error('The service refused the credential: no order is sent for a minute.', {
        message,
      });
    }
    const waitMs =
      cause === 'credentials' ? credentialPauseMs : backoffMs(job.attempt, openBackoff, random);
    logger.warn(`The intent ${intent.key} has no verdict yet.`, { key: intent.key, message });
    return { retryInMs: Math.max(waitMs, retryAfterMs), error: message };
  }
}

/** The job that holds a verdict until its callback has ended. */
export function reportJob(id: string, { intent, verdict }: StoredReport, now: number): Job {
  const body = JSON.stringify({ intent, verdict });
  return { id, orderingKey: id, body, createdAt: new Date(now).toISOString() };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : describeError(error);
}

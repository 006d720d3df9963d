/** `createRunner`: one attempt of a sale or of a refund, from the claim to the stored result. */

import { isRecord } from '../../core/json.js';
import { startAge } from '../../core/time/sleep.js';
import { backoffMs } from '../backoff.js';
import { describeError } from '../callbacks.js';
import type { ClaimedJob, JobResult } from '../queue/job.js';
import { patienceLeftMs, type OutboxActivity } from './attempt.js';
import { attentionMessages } from './attention-message.js';
import { escalate, type Decision } from './decide.js';
import type { OutboxSettings } from './outbox-options.js';
import type { OutboxStore } from './outbox-store.js';
import { createPlacer } from './place-order.js';
import { createRefunder } from './refund-order.js';
import { keyOf, type StoredIntent, type StoredRefund, type Subject } from './stored-intent.js';
import {
  verdictName,
  withoutBuyer,
  type FinalVerdict,
  type StoredVerdict,
} from './stored-verdict.js';

/** Sales without a result are retried for a day, at first after short waits, for what passes by itself. */
const openBackoff = { baseMs: 1_000, maxMs: 300_000 };

export function createRunner<Tx, AddTx>(
  settings: OutboxSettings<Tx, AddTx>,
  store: OutboxStore<Tx, AddTx>,
  activity: OutboxActivity,
): (job: ClaimedJob<Tx>) => Promise<JobResult> {
  const { time, random, logger, escalateAfterMs } = settings;
  const decideSale = createPlacer(settings, store, activity);
  const decideRefund = createRefunder(settings, store, activity);

  return async (job) => {
    try {
      return await (job.id === keyOf(job.id) ? runSale(job) : runRefund(job));
    } catch (error) {
      return failed(job, error);
    }
  };

  async function runSale(job: ClaimedJob<Tx>): Promise<JobResult> {
    const intent = readStored<StoredIntent>(
      job,
      ({ key, order }) => key === job.id && isRecord(order),
    );
    const facts = await store.findFacts(intent.key);
    // The process ended between storing the result and ending the attempt.
    if (facts.verdict !== undefined) return done({ intent }, facts.verdict);
    return apply(job, { intent }, await decideSale(job, intent, facts));
  }

  async function runRefund(job: ClaimedJob<Tx>): Promise<JobResult> {
    const key = keyOf(job.id);
    const refund = readStored<StoredRefund>(job, ({ refundOf }) => refundOf === key);
    const facts = await store.findRefundFacts(key);
    const { intent } = facts;
    if (intent === undefined) throw new Error(`No sale has the key "${key}".`);
    if (facts.refunded !== undefined) return done({ intent, refund }, facts.refunded);
    const decision = await decideRefund(job, refund, facts);
    return apply(job, { intent, refund }, decision);
  }

  async function apply(
    job: ClaimedJob<Tx>,
    subject: Subject,
    decision: Decision,
  ): Promise<JobResult> {
    const { key } = subject.intent;
    switch (decision.action) {
      case 'store':
        return storeVerdict(job, subject, decision.verdict);
      case 'escalate':
        return needReview(job, subject, decision);
      case 'pauseOutbox': {
        const { ms, error } = decision;
        activity.pause = { age: startAge(time), ms, reason: error };
        logger.error('The service rejected the credential. Orders are paused for one minute.', {
          error,
        });
        return { retryInMs: ms, error, countsAttempt: false };
      }
      case 'retry': {
        const { leastMs, mostMs, error } = decision;
        // An attempt that was released, or whose lease is lost, says nothing about the sale.
        if (!job.signal.aborted) {
          logger.warn(`${nameOf(subject)} has no result yet. The outbox will retry.`, {
            key,
            error,
          });
        }
        const waitMs = Math.max(backoffMs(job.attempt, openBackoff, random), leastMs);
        return { retryInMs: Math.min(waitMs, mostMs), error };
      }
    }
  }

  async function storeVerdict(
    job: ClaimedJob<Tx>,
    subject: Subject,
    verdict: FinalVerdict,
  ): Promise<JobResult> {
    const { key } = subject.intent;
    const stored = await store.storeVerdict(subject, verdict);
    if (verdictName(stored) !== verdictName(verdict)) {
      const candidates = [stored, verdict].flatMap((it) => ('order' in it ? [it.order] : []));
      const message = attentionMessages.contradiction(key, stored, verdict);
      return needReview(job, subject, escalate('ambiguous', message, candidates));
    }
    activity.counts[verdict.state] += 1;
    const name = subject.refund === undefined ? `Sale ${key}` : `Order of ${key}`;
    logger.info(`${name} is ${verdict.state.replace('_', ' ')}.`, { key });
    return done(subject, verdict);
  }

  async function needReview(
    job: ClaimedJob<Tx>,
    subject: Subject,
    { attention }: Extract<Decision, { action: 'escalate' }>,
  ): Promise<JobResult> {
    await store.storeAttention(subject, job.claims, attention);
    activity.counts.attention += 1;
    const { key } = subject.intent;
    const { reason, message } = attention;
    logger.error(`${nameOf(subject)} needs manual review: ${reason}.`, {
      key,
      message,
    });
    return { deadLetter: JSON.stringify(attention) };
  }

  /**
   * What this package itself throws: the engine is away, or what it stored was cut short. Without this, such a
   * sale would be tried for years, and nobody would hear of it.
   */
  async function failed(job: ClaimedJob<Tx>, thrown: unknown): Promise<JobResult> {
    const error = describeError(thrown);
    const retry = { retryInMs: backoffMs(job.attempt, openBackoff, random), error };
    if (job.signal.aborted) return retry;
    const key = keyOf(job.id);
    logger.error(`An attempt of ${job.id} failed. The outbox will retry.`, { key, error });
    if (patienceLeftMs(settings, job) > 0) return retry;
    const refund = job.id === key ? undefined : { refundOf: key, reason: '', addedAt: 0 };
    const message =
      refund === undefined
        ? attentionMessages.overdue(key, escalateAfterMs, error)
        : attentionMessages.refundOverdue(key, escalateAfterMs, error);
    const reason = refund === undefined ? 'not_placed_in_time' : 'not_refunded_in_time';
    try {
      const intent = await store.findIntent(key);
      if (intent === undefined) return retry;
      const subject = { intent, refund };
      return await needReview(job, subject, escalate(reason, message));
    } catch {
      return retry;
    }
  }
}

/** @throws {@link Error} for a body that is not what was stored. */
function readStored<T extends { readonly addedAt: number }>(
  { body }: { readonly body: string },
  isSound: (stored: T) => boolean,
): T {
  const stored = JSON.parse(body) as T;
  if (isRecord(stored) && Number.isFinite(stored.addedAt) && isSound(stored)) return stored;
  throw new Error('The stored job is unreadable. Something else modified it.');
}

function nameOf({ intent: { key }, refund }: Subject): string {
  return refund === undefined ? `Sale ${key}` : `Refund of ${key}`;
}

function done(subject: Subject, verdict: StoredVerdict): JobResult {
  return { done: JSON.stringify(withoutBuyer({ ...subject, verdict })), outcome: verdict.state };
}

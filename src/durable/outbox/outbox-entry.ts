/** What the outbox shows of a sale, read from its jobs and from those of its refund. */

import type { JobRecord } from '../queue/job.js';
import { attentionMessages } from './attention-message.js';
import type { Attention, OutboxEntry, OutboxRefund } from './outbox-types.js';
import { keyOf } from './stored-intent.js';
import { readAttention, readContent, readRefund, type StoredVerdict } from './stored-verdict.js';

/** The job of a sale or of a refund, and the one of its result. */
export interface JobPair {
  readonly job: JobRecord | undefined;
  readonly verdictJob: JobRecord | undefined;
}

/** `undefined` if there is no such sale. */
export function toEntry(sale: JobPair, refund: JobPair): OutboxEntry | undefined {
  const { job } = sale;
  if (job === undefined) return undefined;
  const { id: key, attempt: attempts, createdAt: addedAt } = job;
  const base = { key, attempts, addedAt };
  const verdict = verdictOf(sale);
  const attention = attentionOf(sale, verdict);
  const shown = { ...base, ...verdictFields(verdict), ...refundFields(refund) };
  // A result next to it contradicts what was found later. The reviewer of the sale must see both.
  if (attention !== undefined) return { ...shown, state: 'attention', attention };
  if (verdict === undefined) {
    return { ...shown, state: stateOf(job), lastError: job.error };
  }
  const refundAttention = attentionOf(refund, verdictOf(refund));
  if (refundAttention !== undefined) {
    return { ...shown, state: 'attention', attention: refundAttention };
  }
  return { ...shown, state: endState(verdict, shown.refund) };
}

function stateOf({ state, outcome }: JobRecord): 'waiting' | 'placing' | 'placed' | 'refused' {
  // A result that cannot be read any longer.
  if (state === 'done' && (outcome === 'placed' || outcome === 'refused')) return outcome;
  return state === 'waiting' ? 'waiting' : 'placing';
}

function endState(verdict: StoredVerdict, refund: OutboxRefund | undefined) {
  if (verdict.state !== 'placed') return 'refused';
  if (refund?.state === 'refunded') return 'refunded';
  return refund?.state === 'waiting' ? 'refunding' : 'placed';
}

function verdictOf({ job, verdictJob }: JobPair): StoredVerdict | undefined {
  const stored = verdictJob ?? (job?.state === 'done' ? job : undefined);
  return stored && readContent(stored)?.verdict;
}

function attentionOf(
  { job, verdictJob }: JobPair,
  verdict: StoredVerdict | undefined,
): Attention | undefined {
  if (job?.state === 'dead') return readAttention(job) ?? lostAttention(job.id);
  if (verdictJob?.state !== 'dead') return undefined;
  const key = keyOf(verdictJob.id);
  const message = attentionMessages.handlerFailed(key, verdict, verdictJob.error ?? '');
  return { reason: 'handler_failed', candidates: [], message };
}

/** What was stored was cut short or emptied: such a row must not hide all others. */
function lostAttention(jobId: string): Attention {
  const key = keyOf(jobId);
  const found = 'what was stored about it cannot be read';
  return key === jobId
    ? {
        reason: 'invalid_input',
        candidates: [],
        message: attentionMessages.invalidInput(key, found, true),
      }
    : { reason: 'not_visible', candidates: [], message: attentionMessages.notVisible(key) };
}

function verdictFields(verdict: StoredVerdict | undefined): Partial<OutboxEntry> {
  if (verdict?.state === 'placed') return { order: verdict.order };
  return verdict?.state === 'refused' ? { refusal: verdict.refusal } : {};
}

function refundFields(pair: JobPair): Pick<OutboxEntry, 'refund'> {
  const { job } = pair;
  if (job === undefined) return {};
  const { createdAt: requestedAt, error: lastError } = job;
  const base = { reason: readRefund(job)?.reason ?? '', requestedAt };
  const verdict = verdictOf(pair);
  if (attentionOf(pair, verdict) !== undefined) return { refund: { ...base, state: 'attention' } };
  switch (verdict?.state) {
    case 'refunded':
      return { refund: { ...base, state: 'refunded' } };
    case 'not_refunded':
      return {
        refund: { ...base, state: 'not_refunded', notRefunded: verdict.notRefunded },
      };
    default:
      return { refund: { ...base, state: 'waiting', lastError } };
  }
}

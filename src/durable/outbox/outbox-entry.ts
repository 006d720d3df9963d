/** What the outbox shows of an intent, read from its jobs. */

import type { JobRecord } from '../queue/job.js';
import type { Attention, OutboxEntry, Refusal, StoredVerdict } from './outbox-types.js';
import type { StoredReport } from './place-order.js';
import type { StoredIntent } from './stored-intent.js';

export function readReport({ body, output }: JobRecord): StoredReport | undefined {
  const text = output ?? body;
  return text === undefined ? undefined : (JSON.parse(text) as StoredReport);
}

/** An intent is its job's body until it is done, then a part of its output. */
export function readIntent(job: JobRecord): StoredIntent | undefined {
  if (job.output !== undefined) return readReport(job)?.intent;
  return job.body === undefined ? undefined : (JSON.parse(job.body) as StoredIntent);
}

export function toEntry(intent: JobRecord, verdictJob: JobRecord | undefined): OutboxEntry {
  const { id: key, attempt: attempts, createdAt: addedAt } = intent;
  const base = { key, attempts, addedAt };
  const stored = verdictJob ?? (intent.state === 'done' ? intent : undefined);
  const verdict = stored && readReport(stored)?.verdict;
  if (intent.state === 'dead') {
    // A verdict beside it contradicts what was found later: a person must see both.
    const attention = JSON.parse(intent.error ?? '{}') as Attention;
    return { ...base, state: 'attention', ...verdictFields(verdict), attention };
  }
  if (verdictJob?.state === 'dead') {
    const message = verdictJob.error ?? '';
    const attention: Attention = { reason: 'handler_failed', candidates: [], message };
    return { ...base, state: 'attention', ...verdictFields(verdict), attention };
  }
  if (verdict !== undefined) return { ...base, state: verdict.state, ...verdictFields(verdict) };
  return {
    ...base,
    state: intent.state === 'waiting' ? 'waiting' : 'placing',
    lastError: intent.error,
  };
}

function verdictFields(verdict: StoredVerdict | undefined): {
  order?: Extract<StoredVerdict, { state: 'placed' }>['order'];
  refusal?: Refusal;
} {
  if (verdict?.state === 'placed') return { order: verdict.order };
  return verdict?.state === 'refused' ? { refusal: verdict.refusal } : {};
}

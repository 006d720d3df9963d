/** What the outbox shows of an intent, read from its jobs. */

import type { JobRecord } from '../queue/job.js';
import { attentionMessages } from './attention-message.js';
import type { Attention, OutboxEntry } from './outbox-types.js';
import { readContent, type StoredVerdict } from './stored-verdict.js';

export function toEntry(intent: JobRecord, verdictJob: JobRecord | undefined): OutboxEntry {
  const { id: key, attempt: attempts, createdAt: addedAt } = intent;
  const base = { key, attempts, addedAt };
  const stored = verdictJob ?? (intent.state === 'done' ? intent : undefined);
  const verdict = stored && readContent(stored)?.verdict;
  const attention = attentionOf(intent, verdictJob, verdict);
  if (attention !== undefined) {
    // A verdict next to it contradicts what was found later: an operator must see both.
    return { ...base, state: 'attention', ...verdictFields(verdict), attention };
  }
  if (verdict !== undefined) return { ...base, state: verdict.state, ...verdictFields(verdict) };
  const state = intent.state === 'waiting' ? 'waiting' : 'placing';
  return { ...base, state, lastError: intent.error };
}

function attentionOf(
  intent: JobRecord,
  verdictJob: JobRecord | undefined,
  verdict: StoredVerdict | undefined,
): Attention | undefined {
  if (intent.state === 'dead') return JSON.parse(intent.error ?? '{}') as Attention;
  if (verdictJob?.state !== 'dead') return undefined;
  const message = attentionMessages.handlerFailed(intent.id, verdict, verdictJob.error ?? '');
  return { reason: 'handler_failed', candidates: [], message };
}

function verdictFields(verdict: StoredVerdict | undefined): Partial<OutboxEntry> {
  if (verdict?.state === 'placed') return { order: verdict.order };
  return verdict?.state === 'refused' ? { refusal: verdict.refusal } : {};
}

/** What the outbox stores about a sale after it was added: its result, and notes for later attempts. */

import { isRecord, parseJson } from '../../core/json.js';
import type { Order } from '../../client/model/orders.js';
import { textRule } from '../queue/check-jobs.js';
import type { Job, JobRecord } from '../queue/job.js';
import type { Attention, NotRefunded, Refusal } from './outbox-types.js';
import type { StoredIntent, StoredRefund, Subject } from './stored-intent.js';

/** A result that was stored: it never changes by itself. */
export type StoredVerdict =
  | { readonly state: 'placed'; readonly order: Order }
  | { readonly state: 'refused'; readonly refusal: Refusal }
  /** Of a refund, with the order as it was last read. */
  | { readonly state: 'refunded'; readonly order: Order }
  | { readonly state: 'not_refunded'; readonly notRefunded: NotRefunded }
  | { readonly state: 'attention'; readonly attention: Attention };

export type FinalVerdict = Exclude<StoredVerdict, { readonly state: 'attention' }>;

/** A result whose callback is due, or was run. */
export interface PendingCallback extends Subject {
  readonly verdict: StoredVerdict;
}

/** What a later attempt must know. It has no callback. */
export type StoredNote =
  /** `cancel` was called: no attempt that begins later sends anything. */
  | { readonly note: 'cancel'; readonly at: number; readonly reason: string }
  /** An order may exist under a key that was derived from the sale's own. */
  | { readonly note: 'requote'; readonly at: number }
  /** Request number `request` of a refund may have reached the service. */
  | { readonly note: 'refund_sent'; readonly at: number; readonly request: number }
  /** The service has that request: only the order shows its end. `denied`: the word that says that it failed. */
  | {
      readonly note: 'refund_received';
      readonly at: number;
      readonly request: number;
      readonly denied?: string | undefined;
    }
  /** That request certainly did nothing. */
  | { readonly note: 'refund_unsent'; readonly at: number; readonly request: number };

/**
 * The job that holds a result until its callback has ended, or a note.
 *
 * @param saleKey - the ordering key of the sale's result, if the content is the result on its refund: that callback follows
 */
export function toVerdictJob(
  id: string,
  content: PendingCallback | StoredNote,
  now: number,
  saleKey?: string,
): Job {
  const isFinal = 'verdict' in content && content.verdict.state !== 'attention';
  return {
    id,
    orderingKey: isFinal ? (saleKey ?? verdictKey(content)) : id,
    body: JSON.stringify(content),
    createdAt: new Date(now).toISOString(),
  };
}

/** By the order, whose events wait for it: they know no key of a sale. */
function verdictKey({ intent: { key }, verdict }: PendingCallback): string {
  if (verdict.state !== 'placed' || textRule(verdict.order.public_id) !== undefined) return key;
  return verdict.order.public_id;
}

/** What stays once a callback has ended: no buyer, and the hash by which the same sale is known. */
export function withoutBuyer<Content extends { readonly intent: StoredIntent }>(
  content: Content,
): Content {
  const order = { ...content.intent.order };
  delete order.buyer;
  return { ...content, intent: { ...content.intent, order } };
}

export function noteId(key: string, note: StoredNote): string {
  // No key has a space.
  return 'request' in note ? `${key} ${note.note} ${note.request}` : `${key} ${note.note}`;
}

/** What a job of the outbox holds: its body, and what it ended with once it is done. */
export function readContent({ body, output }: JobRecord): PendingCallback | undefined {
  return readJson(output ?? body) as PendingCallback | undefined;
}

export function readNote({ body, output }: JobRecord): StoredNote | undefined {
  return readJson(output ?? body) as StoredNote | undefined;
}

/** A sale is its job's body until the job is done, then a part of its output. */
export function readIntent(job: JobRecord): StoredIntent {
  const { id, orderingKey, output, body } = job;
  const stored = (output === undefined ? readJson(body) : readContent(job)?.intent) as
    StoredIntent | undefined;
  if (stored?.key === id && isRecord(stored.order)) return stored;
  // All that is known of a sale whose record cannot be read. It must be possible to end it.
  return { key: id, order: { domain: orderingKey } } as StoredIntent;
}

/** The attention that a dead job ended with. */
export function readAttention({ error }: JobRecord): Attention | undefined {
  const { reason, message, candidates } = (readJson(error) ?? {}) as Partial<Attention>;
  const isSound = [reason, message].every((it) => typeof it === 'string');
  return isSound && Array.isArray(candidates) ? (readJson(error) as Attention) : undefined;
}

export function readRefund(job: JobRecord): StoredRefund | undefined {
  if (job.output !== undefined) return readContent(job)?.refund;
  return readJson(job.body) as StoredRefund | undefined;
}

/** `undefined` for what was cut off or emptied: one such row must not hide all others. */
function readJson(text = ''): object | undefined {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}

/** Two results with the same name do not contradict each other. */
export function verdictName(verdict: StoredVerdict): string {
  return verdict.state === 'placed' ? `placed ${verdict.order.public_id}` : verdict.state;
}

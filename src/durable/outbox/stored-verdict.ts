/** What the outbox stores about an intent after it was added: its verdict, and notes for later attempts. */

import type { Order } from '../../client/model/orders.js';
import type { Job, JobRecord } from '../queue/job.js';
import type { Attention, Refusal } from './outbox-types.js';
import type { StoredIntent } from './stored-intent.js';

/** A verdict that was stored: it never changes by itself. */
export type StoredVerdict =
  | { readonly state: 'placed'; readonly order: Order }
  | { readonly state: 'refused'; readonly refusal: Refusal }
  | { readonly state: 'attention'; readonly attention: Attention };

export type FinalVerdict = Exclude<StoredVerdict, { readonly state: 'attention' }>;

/** A verdict whose callback is due, or was run. */
export interface PendingCallback {
  readonly intent: StoredIntent;
  readonly verdict: StoredVerdict;
}

/** What a later attempt must know. It has no callback. */
export type StoredNote =
  /** `cancel` was called: no attempt that begins later sends anything. */
  | { readonly note: 'cancel'; readonly at: number; readonly reason: string }
  /** An order may exist under a key that was derived from the intent's own. */
  | { readonly note: 'requote'; readonly at: number };

/** The job that holds a verdict until its callback has ended, or a note. */
export function toVerdictJob(id: string, content: PendingCallback | StoredNote, now: number): Job {
  return {
    id,
    orderingKey: id,
    body: JSON.stringify(content),
    createdAt: new Date(now).toISOString(),
  };
}

export function noteId(key: string, note: StoredNote['note']): string {
  // No key has a space.
  return `${key} ${note}`;
}

/** What a job of the outbox holds: its body, and what it ended with once it is done. */
export function readContent({ body, output }: JobRecord): PendingCallback | undefined {
  return readJson(output ?? body) as PendingCallback | undefined;
}

export function readNote({ body, output }: JobRecord): StoredNote | undefined {
  return readJson(output ?? body) as StoredNote | undefined;
}

/** An intent is its job's body until the job is done, then a part of its output. */
export function readIntent(job: JobRecord): StoredIntent | undefined {
  if (job.output !== undefined) return readContent(job)?.intent;
  return readJson(job.body) as StoredIntent | undefined;
}

function readJson(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}

/** Two verdicts with the same name do not contradict each other. */
export function verdictName(verdict: StoredVerdict): string {
  return verdict.state === 'placed' ? `placed ${verdict.order.public_id}` : verdict.state;
}

/** `listEntries`: the entries of one state, in pages. */

import type { DurableQueue } from '../queue/engine.js';
import type { JobState } from '../queue/job.js';
import { toPage } from '../queue/page.js';
import { toEntry } from './outbox-entry.js';
import type { OutboxStore } from './outbox-store.js';
import type { OutboxEntry, OutboxListOptions, OutboxPage, OutboxState } from './outbox-types.js';

interface Part {
  readonly state: OutboxState;
  readonly limit: number;
  readonly cursor: string | undefined;
}

const jobStates: Readonly<Record<OutboxState, JobState>> = {
  waiting: 'waiting',
  placing: 'running',
  placed: 'done',
  refused: 'done',
  attention: 'dead',
};

/** Begins a cursor into the verdicts whose callback failed for good: they follow the intents. */
const callbacks = 'callbacks:';

/** Entries in a state, in the order in which they were added. */
export async function listEntries<Tx, AddTx>(
  store: OutboxStore<Tx, AddTx>,
  { state, limit, cursor }: OutboxListOptions & { readonly limit: number },
): Promise<OutboxPage> {
  const [intents, verdicts] = [await store.intents.openQueue(), await store.verdicts.openQueue()];
  const part = { state, limit, cursor };
  if (state !== 'attention') return listIntents(intents, verdicts, part);
  const isPast = cursor?.startsWith(callbacks) === true;
  const found = isPast ? toPage([], null) : await listIntents(intents, verdicts, part);
  if (found.nextCursor !== null) return found;
  if (found.length === limit) return toPage(found, callbacks);
  const failed = await listFailedCallbacks(intents, verdicts, {
    state,
    limit: limit - found.length,
    cursor: isPast ? cursor.slice(callbacks.length) : undefined,
  });
  const next = failed.nextCursor === null ? null : callbacks + failed.nextCursor;
  return toPage([...found, ...failed], next);
}

async function listIntents<Tx, AddTx>(
  intents: DurableQueue<Tx, AddTx>,
  verdicts: DurableQueue<Tx, AddTx>,
  { state, limit, cursor }: Part,
): Promise<OutboxPage> {
  // The store skips the intents that ended in another state.
  const outcome = jobStates[state] === 'done' ? state : undefined;
  const entries: OutboxEntry[] = [];
  for (let next = cursor; ;) {
    const left = limit - entries.length;
    const page = await intents.list(jobStates[state], { limit: left, cursor: next, outcome });
    const verdictJobs = await verdicts.find(page.items.map(({ id }) => id));
    // A verdict can be newer than its intent's job, or have a callback that failed for good.
    const shown = page.items.map((job) => toEntry(job, verdictJobs.get(job.id)));
    entries.push(...shown.filter((entry) => entry.state === state));
    if (page.nextCursor === null || entries.length === limit) {
      return toPage(entries, page.nextCursor);
    }
    next = page.nextCursor;
  }
}

async function listFailedCallbacks<Tx, AddTx>(
  intents: DurableQueue<Tx, AddTx>,
  verdicts: DurableQueue<Tx, AddTx>,
  { limit, cursor }: Part,
): Promise<OutboxPage> {
  const from = cursor === '' ? undefined : cursor;
  const { items, nextCursor } = await verdicts.list('dead', { limit, cursor: from });
  const known = await intents.find(items.map(({ id }) => id));
  const entries = items.flatMap((job) => {
    const intent = known.get(job.id);
    // If the intent itself is a dead letter, it was listed before.
    return intent === undefined || intent.state === 'dead' ? [] : [toEntry(intent, job)];
  });
  return toPage(entries, nextCursor);
}

/** `listEntries`: the entries of one state, in pages. */

import type { JobState } from '../queue/job.js';
import { toPage } from '../queue/page.js';
import type { OutboxStore } from './outbox-store.js';
import type { OutboxEntry, OutboxListOptions, OutboxPage, OutboxState } from './outbox-types.js';
import { keyOf } from './stored-intent.js';

/** Where entries of a state are found, in the order of their listing. */
interface Part {
  readonly queue: 'intents' | 'verdicts';
  readonly state: JobState | 'open';
  /** The store skips the jobs that ended in another way. */
  readonly outcome?: OutboxState;
}

const parts: Readonly<Record<OutboxState, readonly Part[]>> = {
  waiting: [{ queue: 'intents', state: 'waiting' }],
  placing: [{ queue: 'intents', state: 'running' }],
  placed: [{ queue: 'intents', state: 'done', outcome: 'placed' }],
  refused: [{ queue: 'intents', state: 'done', outcome: 'refused' }],
  refunding: [
    { queue: 'intents', state: 'waiting' },
    { queue: 'intents', state: 'running' },
  ],
  refunded: [{ queue: 'intents', state: 'done', outcome: 'refunded' }],
  attention: [
    { queue: 'intents', state: 'dead' },
    // Results whose callback failed for good.
    { queue: 'verdicts', state: 'dead' },
  ],
};

const allParts: readonly Part[] = [
  { queue: 'intents', state: 'open' },
  { queue: 'intents', state: 'done' },
];

export const listedStates = Object.keys(parts) as [OutboxState, ...OutboxState[]];

/** Begins a cursor into the second part. */
const second = 'then:';

/** Entries in a state, in the order in which they were added. */
export async function listEntries<Tx, AddTx>(
  store: OutboxStore<Tx, AddTx>,
  { state, limit, cursor }: OutboxListOptions & { readonly limit: number },
): Promise<OutboxPage> {
  const entries: OutboxEntry[] = [];
  const all = state === undefined ? allParts : parts[state];
  let at = cursor?.startsWith(second) === true ? 1 : 0;
  let next = at === 1 ? cursor?.slice(second.length) : cursor;
  for (let part = all[at]; part !== undefined && entries.length < limit; part = all[at]) {
    const queue = await store[part.queue].openQueue();
    const page = await queue.list(part.state, {
      limit: limit - entries.length,
      cursor: next === '' ? undefined : next,
      outcome: part.outcome,
    });
    entries.push(...(await entriesOf(store, part.queue, state, page.items)));
    next = page.nextCursor ?? '';
    if (next === '') at += 1;
  }
  if (at >= all.length) return toPage(entries, null);
  return toPage(entries, at === 1 ? second + (next ?? '') : (next ?? ''));
}

async function entriesOf<Tx, AddTx>(
  store: OutboxStore<Tx, AddTx>,
  queue: Part['queue'],
  state: OutboxState | undefined,
  jobs: readonly { readonly id: string }[],
): Promise<OutboxEntry[]> {
  const known = await store.entries(jobs.map(({ id }) => keyOf(id)));
  return jobs.flatMap(({ id }) => {
    const key = keyOf(id);
    const entry = known.get(key);
    if (state === undefined) return entry !== undefined && id === key ? [entry] : [];
    // A result can be newer than its job, or have a callback that failed for good.
    if (entry?.state !== state) return [];
    // A refund whose sale waits is shown with it.
    return isShownBy(entry, id === key) ? [entry] : [];
  });

  function isShownBy({ attention }: OutboxEntry, isSale: boolean): boolean {
    if (state === 'refunding' || state === 'refunded') return !isSale;
    if (state !== 'attention') return isSale;
    // A sale is in both parts if its callback failed and its refund needs manual review.
    const isCallback = attention?.reason === 'handler_failed';
    return isCallback === (queue === 'verdicts');
  }
}

/** `reconcileOutbox`: the intents and verdicts of an outbox as the books of `orders.reconcile`. */

import type { SaleInBooks } from '../../client/books/booked-sale.js';
import type { BooksToReconcile, ReconcileOptions } from '../../client/books/reconcile-options.js';
import type { Reconciliation } from '../../client/books/reconcile.js';
import type { MarketClient } from '../../client/client.js';
import type { JobRecord, JobState } from '../queue/job.js';
import { toEntry } from './outbox-entry.js';
import type { OutboxStore } from './outbox-store.js';
import type { OutboxEntry } from './outbox-types.js';
import type { StoredIntent } from './stored-intent.js';
import { readIntent } from './stored-verdict.js';

const pageSize = 500;
const dayMs = 86_400_000;

/** Throws at once for a wrong window or option: `orders.reconcile` checks them. */
export function reconcileOutbox<Tx, AddTx>(
  store: OutboxStore<Tx, AddTx>,
  orders: MarketClient['orders'],
  books: Omit<BooksToReconcile, 'sales'>,
  options: ReconcileOptions | undefined,
): Reconciliation {
  // One more day, so that an order that was recorded late is joined to its sale.
  const { from } = Object(books) as Partial<BooksToReconcile>;
  const sinceMs = new Date(from ?? Number.NaN).getTime() - dayMs;
  return orders.reconcile({ ...books, sales: salesOf(store, sinceMs) }, options);
}

/**
 * Intents may end while they are read. Those that have not ended are read first and held back, so that none is
 * missed, and none is shown both as it was and as it ended.
 */
async function* salesOf<Tx, AddTx>(
  store: OutboxStore<Tx, AddTx>,
  sinceMs: number,
): AsyncGenerator<SaleInBooks, void, undefined> {
  const open = new Map<string, SaleInBooks>();
  for (const state of ['waiting', 'running', 'dead'] as const) {
    for await (const sale of salesIn(store, state, sinceMs)) open.set(sale.idempotencyKey, sale);
  }
  for await (const sale of salesIn(store, 'done', sinceMs)) {
    open.delete(sale.idempotencyKey);
    yield sale;
  }
  yield* open.values();
}

async function* salesIn<Tx, AddTx>(
  store: OutboxStore<Tx, AddTx>,
  state: JobState,
  sinceMs: number,
): AsyncGenerator<SaleInBooks, void, undefined> {
  const [intents, verdicts] = [await store.intents.openQueue(), await store.verdicts.openQueue()];
  for (let cursor: string | undefined; ;) {
    const page = await intents.list(state, { limit: pageSize, cursor });
    const recent = page.items.filter(({ createdAt }) => Date.parse(createdAt) >= sinceMs);
    const known = await verdicts.find(recent.map(({ id }) => id));
    for (const job of recent) {
      const sale = toSale(job, known.get(job.id));
      if (sale !== undefined) yield sale;
    }
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}

function toSale(job: JobRecord, verdictJob: JobRecord | undefined): SaleInBooks | undefined {
  const intent = readIntent(job);
  if (intent === undefined) return undefined;
  return { ...readVerdict(intent, toEntry(job, verdictJob)), startedAt: intent.addedAt };
}

function readVerdict(
  { key, order: input }: StoredIntent,
  { order, refusal }: OutboxEntry,
): Omit<SaleInBooks, 'startedAt'> {
  if (order === undefined) {
    return { idempotencyKey: key, input, state: refusal === undefined ? 'open' : 'refused' };
  }
  // A requote may place the order below the intent's price: the verdict has the price it was placed at.
  const { public_id: publicId, sale_price_cents: price } = order as Partial<typeof order>;
  return {
    idempotencyKey: key,
    input: { ...input, expected_price: price ?? input.expected_price },
    state: 'placed',
    publicId,
  };
}

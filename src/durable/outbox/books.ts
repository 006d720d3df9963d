/** `reconcileOutbox`: the sales and results of an outbox as the books of `orders.reconcile`. */

import type { SaleInBooks } from '../../client/books/booked-sale.js';
import type { FindingKind } from '../../client/books/findings.js';
import type { BooksToReconcile, ReconcileOptions } from '../../client/books/reconcile-options.js';
import type { Reconciliation } from '../../client/books/reconcile.js';
import { toMs } from '../../core/moment.js';
import { parseServiceTime } from '../../core/service-time.js';
import type { JobRecord } from '../queue/job.js';
import { pagesIn } from '../queue/page.js';
import type { OutboxCalls } from './outbox-options.js';
import type { OutboxStore } from './outbox-store.js';
import type { OutboxEntry } from './outbox-types.js';
import { keyOf, type StoredIntent } from './stored-intent.js';
import { readContent, readIntent } from './stored-verdict.js';

const dayMs = 86_400_000;

interface SaleOfJob {
  readonly sale: SaleInBooks;
  readonly verdictJob: JobRecord | undefined;
}

/** Throws at once for a wrong window or option: `orders.reconcile` checks them. */
export function reconcileOutbox<Tx, AddTx>(
  store: OutboxStore<Tx, AddTx>,
  orders: Pick<OutboxCalls, 'reconcile'>,
  books: Omit<BooksToReconcile, 'sales'>,
  options: ReconcileOptions | undefined,
): Reconciliation {
  const { from } = Object(books) as Partial<BooksToReconcile>;
  const sales = salesOf(store, toMs(from));
  const comparison = orders.reconcile({ ...books, sales }, options) as Reconciliation;
  const findings = comparison[Symbol.asyncIterator].bind(comparison);
  const withNextSteps = async function* () {
    for await (const found of findings()) {
      yield { ...found, nextStep: nextSteps[found.kind] ?? found.nextStep };
    }
  };
  return Object.defineProperty(comparison, Symbol.asyncIterator, { value: withNextSteps });
}

/** The outbox works on these sales. An operator who resumed one could pay back an order that is then placed. */
const nextSteps: Partial<Record<FindingKind, string>> = {
  missing_at_service:
    'Leave an open sale to the outbox, which looks for the order and tries again; one in attention is ended with ' +
    "outbox.resolve. About a placed one, ask the service's support, with the public_id.",
  behind:
    'Read the missed events with inbox.poll. Leave an open sale to the outbox; one in attention is ended with outbox.resolve.',
};

/** Sales that have not ended are held back: one that ends meanwhile is shown only as it ended. */
async function* salesOf<Tx, AddTx>(
  store: OutboxStore<Tx, AddTx>,
  fromMs: number,
): AsyncGenerator<SaleInBooks, void, undefined> {
  // One more day, so that an order that was recorded late is joined to its sale.
  const sinceMs = fromMs - dayMs;
  const refunds = await store.handledRefunds();
  const open = new Map<string, SaleInBooks>();
  for await (const { sale } of salesIn(store, 'open', () => true)) {
    open.set(sale.idempotencyKey, sale);
  }
  const isKept = (job: JobRecord) => mayHaveRecentOrder(job, sinceMs);
  for await (const { sale, verdictJob } of salesIn(store, 'done', isKept)) {
    open.delete(sale.idempotencyKey);
    const kept = withinBooks(sale, verdictJob, fromMs);
    if (kept !== undefined)
      yield { ...kept, refundedAt: sale.refundedAt ?? refunds.get(sale.publicId ?? '') };
  }
  yield* open.values();
}

async function* salesIn<Tx, AddTx>(
  store: OutboxStore<Tx, AddTx>,
  state: 'open' | 'done',
  isKept: (job: JobRecord) => boolean,
): AsyncGenerator<SaleOfJob, void, undefined> {
  const [intents, verdicts] = [await store.intents.openQueue(), await store.verdicts.openQueue()];
  for await (const jobs of pagesIn(intents, state)) {
    const kept = jobs.filter((job) => job.id === keyOf(job.id) && isKept(job));
    const entries = await store.entries(kept.map(({ id }) => id));
    const known = await verdicts.find(kept.map(({ id }) => id));
    for (const job of kept) {
      const sale = toSale(job, entries.get(job.id));
      if (sale !== undefined) yield { sale, verdictJob: known.get(job.id) };
    }
  }
}

/** A sale may wait for days, so that its order is far younger than it. A job without a readable time is kept. */
function mayHaveRecentOrder(job: JobRecord, sinceMs: number): boolean {
  if (Date.parse(job.createdAt) >= sinceMs) return true;
  const verdict = readContent(job)?.verdict;
  // Emptied since, as old records of buyers are.
  if (verdict === undefined) return false;
  if (verdict.state !== 'placed') return true;
  return !(parseServiceTime(verdict.order.created_at) < sinceMs);
}

/**
 * A sale that was added before the window and ended in it began when it ended: otherwise its order, which is of the
 * window, would be compared in none, and one that stands in spite of a refusal would be reported nowhere.
 */
function withinBooks(
  sale: SaleInBooks,
  verdictJob: JobRecord | undefined,
  fromMs: number,
): SaleInBooks | undefined {
  if (sale.state === 'open' || Number(sale.startedAt) >= fromMs) return sale;
  if (verdictJob === undefined) return sale;
  const endedAt = Date.parse(verdictJob.createdAt);
  if (endedAt >= fromMs) return { ...sale, startedAt: endedAt };
  return sale.state === 'refused' && endedAt < fromMs - dayMs ? undefined : sale;
}

function toSale(job: JobRecord, entry: OutboxEntry | undefined): SaleInBooks | undefined {
  if (entry === undefined) return undefined;
  const intent = readIntent(job);
  const { addedAt = Date.parse(job.createdAt) } = intent as Partial<StoredIntent>;
  return { ...readVerdict(intent, entry), startedAt: addedAt };
}

function readVerdict(
  { key, order: input }: StoredIntent,
  { order, refusal, refund }: OutboxEntry,
): Omit<SaleInBooks, 'startedAt'> {
  if (order === undefined) {
    return { idempotencyKey: key, input, state: refusal === undefined ? 'open' : 'refused' };
  }
  // A requote may place the order below the sale's price: the result has the price it was placed at.
  const { public_id: publicId, sale_price_cents: price } = order as Partial<typeof order>;
  return {
    idempotencyKey: key,
    input: { ...input, expected_price: price ?? input.expected_price },
    state: 'placed',
    publicId,
    refundedAt: refund?.state === 'refunded' ? refund.requestedAt : undefined,
  };
}

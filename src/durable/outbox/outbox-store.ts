/** `OutboxStore`: the two queues of an outbox, and everything that is read from them and written to them. */

import { isDeepStrictEqual } from 'node:util';
import { asciiDomain } from '../../client/sale/compare-fields.js';
import type { Circuit } from '../circuit.js';
import { OutboxConflictError } from '../errors.js';
import { readHandledRefunds } from '../handled-refunds.js';
import { checkDurableOptions, idSchema } from '../options.js';
import type { QueueEngine, DurableQueue } from '../queue/engine.js';
import { isAbandoned, type Checkpoint, type JobRecord } from '../queue/job.js';
import { pagesIn } from '../queue/page.js';
import { QueueRunner } from '../queue/queue-runner.js';
import { toEntry, type JobPair } from './outbox-entry.js';
import { FreshSales } from './fresh-sales.js';
import type { OutboxSettings } from './outbox-options.js';
import type { Attention, OutboxEntry, OutboxStatus } from './outbox-types.js';
import {
  idOf,
  isSameOrder,
  keyOf,
  refundId,
  toJob,
  type StoredIntent,
  type Subject,
} from './stored-intent.js';
import {
  noteId,
  readContent,
  readIntent,
  readNote,
  readRefund,
  toVerdictJob,
  type PendingCallback,
  type StoredNote,
  type StoredVerdict,
} from './stored-verdict.js';

/** What is known about a sale, besides the sale itself. */
export interface KnownFacts {
  readonly verdict: StoredVerdict | undefined;
  readonly cancel: Extract<StoredNote, { note: 'cancel' }> | undefined;
  readonly requote: Extract<StoredNote, { note: 'requote' }> | undefined;
}

/** What is known about the refund of a sale. */
export interface RefundFacts {
  readonly intent: StoredIntent | undefined;
  /** The result on the sale. */
  readonly sale: StoredVerdict | undefined;
  /** The result on the refund. */
  readonly refunded: StoredVerdict | undefined;
  /** The number of requests that may have been sent. */
  readonly sent: number;
  /** The last of them, unless it certainly did nothing: it may have been done, or still arrive. */
  readonly inDoubt: Extract<StoredNote, { note: 'refund_sent' }> | undefined;
  /** What the service responded to it. */
  readonly received: Extract<StoredNote, { note: 'refund_received' }> | undefined;
}

/** What a running outbox knows of itself, for those who look at its queues from outside. */
export type OutboxHealth = Pick<OutboxStatus, 'callbacksPaused' | 'recover'>;

/** The queue of sales reads no history: its checkpoint has room for this. */
type HealthCheckpoint = Checkpoint & { readonly health?: OutboxHealth };

/** How a sale is stored together with its payment, and a refund with what it is asked for by. */
export interface AddOptions<Tx, AddTx> {
  /**
   * Stores the payment. It runs in a short transaction of the engine, which stores the sale, too:
   * both are stored, or neither. Not run for what is known. On SQLite it is synchronous.
   */
  readonly write?: (tx: Tx) => unknown;
  /** Joins your own open transaction: await `add` before you commit. Not together with `write`. */
  readonly tx?: AddTx;
}

/** What the store needs of an outbox's settings. */
export type OutboxStoreSettings<Tx, AddTx> = Pick<
  OutboxSettings<Tx, AddTx>,
  'engine' | 'queues' | 'leaseMs' | 'concurrency' | 'time' | 'random' | 'logger'
>;

/** An attempt that takes longer is ended and repeated. `cancel` relies on it. */
export const longestAttemptMs = 600_000;
/** A key that was forgotten here could sell a second domain. */
const tenYearsMs = 3_650 * 86_400_000;

export class OutboxStore<Tx, AddTx> {
  readonly intents: QueueRunner<Tx, AddTx>;
  readonly verdicts: QueueRunner<Tx, AddTx>;
  readonly fresh: FreshSales;
  /** The open results that an earlier release has stored. */
  #earlier: readonly string[] | undefined;
  readonly #settings: OutboxStoreSettings<Tx, AddTx>;

  /** @param circuit - pauses the callbacks; who runs none needs none */
  constructor(settings: OutboxStoreSettings<Tx, AddTx>, circuit?: Circuit) {
    const { engine, queues, leaseMs } = settings;
    const limits = { leaseMs, keepDoneMs: tenYearsMs };
    this.#settings = settings;
    this.fresh = new FreshSales(settings.time);
    this.intents = new QueueRunner(engine, { name: queues.of('orders'), ...limits }, settings);
    this.verdicts = new QueueRunner(
      engine,
      { name: queues.of('verdicts'), ...limits },
      { ...settings, supervise: circuit && ((work, how) => circuit.work(work, how)) },
    );
  }

  /** @returns `false` if the key is known, with the same order. @throws {@link OutboxConflictError} */
  async add(subject: Subject, options: AddOptions<Tx, AddTx>): Promise<boolean> {
    const { intent, refund } = subject;
    if (refund !== undefined) return this.#enqueue(subject, options);
    this.fresh.add(intent);
    let isAdded = false;
    try {
      isAdded = await this.#enqueue(subject, options);
    } finally {
      if (!isAdded) this.fresh.delete(intent.key);
    }
    if (!isAdded) await this.checkSame(intent, options.tx);
    return isAdded;
  }

  async #enqueue(subject: Subject, options: AddOptions<Tx, AddTx>): Promise<boolean> {
    const queue = await this.intents.openQueue();
    const { added } = await queue.enqueue([toJob(subject)], options);
    this.intents.watchIdle();
    return added.length > 0;
  }

  /** @throws {@link OutboxConflictError} when the key is known: the orders cannot be compared here. */
  addSync(stored: StoredIntent, tx: AddTx): void {
    const queue = this.intents.openQueueSync();
    if (queue?.enqueueSync === undefined) {
      throw new TypeError(
        'addSync() needs sqliteEngine, since the transactions of this engine are asynchronous. Await outbox.add() with { write } or { tx }.',
      );
    }
    const { added } = queue.enqueueSync([toJob({ intent: stored })], tx);
    if (added.length === 0) throw new OutboxConflictError(stored.key, 'not_compared');
    this.intents.watchIdle();
    // No worker can have claimed it in this turn.
    this.fresh.add(stored);
  }

  /** @returns The keys of those that were not known. */
  async addMissing(intents: readonly StoredIntent[]): Promise<readonly string[]> {
    return (await (await this.intents.queue()).enqueue(intents.map((intent) => toJob({ intent }))))
      .added;
  }

  /**
   * @param tx - the transaction that found the key: it may have stored the sale itself.
   * @throws {@link OutboxConflictError} when the key is known with another order.
   */
  async checkSame(given: StoredIntent, tx?: AddTx): Promise<void> {
    const { key } = given;
    const intent = await this.findIntent(key, tx);
    if (intent === undefined || !isSameOrder(intent, given)) throw new OutboxConflictError(key);
  }

  async findIntent(key: string, tx?: AddTx): Promise<StoredIntent | undefined> {
    checkDurableOptions(idSchema, key, 'key');
    const job = (await (await this.intents.openQueue()).find([key], tx)).get(key);
    return job && readIntent(job);
  }

  async get(key: string): Promise<OutboxEntry | undefined> {
    checkDurableOptions(idSchema, key, 'key');
    return (await this.entries([key])).get(key);
  }

  /** The sales of these keys, with their refunds. */
  async entries(keys: readonly string[]): Promise<ReadonlyMap<string, OutboxEntry>> {
    const pairOf = await this.#findPairs(keys.flatMap((key) => [key, refundId(key)]));
    const entries = new Map<string, OutboxEntry>();
    for (const key of keys) {
      const entry = toEntry(pairOf(key), pairOf(refundId(key)));
      if (entry !== undefined) entries.set(key, entry);
    }
    return entries;
  }

  /** Stores a result for its callback, unless there is one. @returns The one that is stored. */
  async storeVerdict(subject: Subject, verdict: StoredVerdict): Promise<StoredVerdict> {
    const id = idOf(subject);
    await this.#store(id, { ...subject, verdict });
    const stored = (await (await this.verdicts.queue()).find([id])).get(id);
    return (stored && readContent(stored)?.verdict) ?? verdict;
  }

  /** Stores the callback of an attempt that needs manual review. Each such attempt has its own. */
  async storeAttention(subject: Subject, claims: number, attention: Attention): Promise<void> {
    const id = `${idOf(subject)} attention ${claims}`;
    await this.#store(id, { ...subject, verdict: { state: 'attention', attention } });
  }

  /** @returns `false` if the note exists: another process stored it. */
  async storeNote(key: string, note: StoredNote): Promise<boolean> {
    return this.#store(noteId(key, note), note);
  }

  async findFacts(key: string): Promise<KnownFacts> {
    const [cancelId, requoteId] = [`${key} cancel`, `${key} requote`];
    const found = await (await this.verdicts.queue()).find([key, cancelId, requoteId]);
    const [verdict, cancel, requote] = [key, cancelId, requoteId].map((id) => found.get(id));
    return {
      verdict: verdict && readContent(verdict)?.verdict,
      cancel: cancel && (readNote(cancel) as KnownFacts['cancel']),
      requote: requote && (readNote(requote) as KnownFacts['requote']),
    };
  }

  /** A sale and its refund, with the results on both. */
  async findSale(key: string) {
    const pairOf = await this.#findPairs([key, refundId(key)]);
    const [sale, refund] = [pairOf(key), pairOf(refundId(key))];
    return {
      intent: sale.job && readIntent(sale.job),
      sale: sale.verdictJob && readContent(sale.verdictJob)?.verdict,
      isSaleInAttention: sale.job?.state === 'dead' || sale.verdictJob?.state === 'dead',
      refund: refund.job && readRefund(refund.job),
      refundClaims: refund.job?.claims ?? 0,
      refunded: refund.verdictJob && readContent(refund.verdictJob)?.verdict,
    };
  }

  /** The jobs of sales and refunds, then those of their results. */
  async #findPairs(ids: readonly string[]): Promise<(id: string) => JobPair> {
    const jobs = await (await this.intents.openQueue()).find(ids);
    const verdicts = await (await this.verdicts.openQueue()).find(ids);
    return (id) => ({ job: jobs.get(id), verdictJob: verdicts.get(id) });
  }

  async findRefundFacts(key: string): Promise<RefundFacts> {
    const { intent, sale, refunded, refundClaims } = await this.findSale(key);
    // Each claim has sent one request at most.
    const requests = Array.from({ length: refundClaims }, (_, index) => index + 1);
    const idOfNote = (note: `refund_${'sent' | 'received' | 'unsent'}`, request: number) =>
      noteId(refundId(key), { note, request, at: 0 });
    const ids = requests.flatMap((each) => [
      idOfNote('refund_sent', each),
      idOfNote('refund_received', each),
      idOfNote('refund_unsent', each),
    ]);
    const found = await (await this.verdicts.queue()).find(ids);
    const sent = requests.filter((each) => found.has(idOfNote('refund_sent', each))).length;
    const last = found.get(idOfNote('refund_sent', sent));
    const isInDoubt = last !== undefined && !found.has(idOfNote('refund_unsent', sent));
    const inDoubt = isInDoubt ? (readNote(last) as RefundFacts['inDoubt']) : undefined;
    const receipt = inDoubt && found.get(idOfNote('refund_received', sent));
    const received = receipt && (readNote(receipt) as RefundFacts['received']);
    return { intent, sale, refunded, sent, inDoubt, received };
  }

  /** Somebody has found out that the last request of a refund did nothing. */
  async endDoubt(key: string, at: number): Promise<void> {
    const { inDoubt } = await this.findRefundFacts(key);
    if (inDoubt === undefined) return;
    const { request } = inDoubt;
    await this.storeNote(refundId(key), { note: 'refund_unsent', at, request });
  }

  handledRefunds(): Promise<ReadonlyMap<string, Date>> {
    const { engine, queues } = this.#settings;
    return readHandledRefunds(engine as QueueEngine, queues.environment);
  }

  /** Sales before results: a sale is done only after its result is stored. */
  async hasUnreportedSale(order: {
    readonly public_id: string;
    readonly domain?: string | undefined;
  }): Promise<boolean> {
    // Beside a hundred thousand waiting sales, each event would take seconds.
    const domain = order.domain ? asciiDomain(order.domain) : undefined;
    const isSale = ({ id }: JobRecord) => id === keyOf(id);
    const isOfOrder = (job: JobRecord) => {
      const verdict = readContent(job)?.verdict;
      return verdict?.state === 'placed' && verdict.order.public_id === order.public_id;
    };
    const intents = await this.intents.openQueue();
    const verdicts = await this.verdicts.openQueue();
    if (await hasOpen(intents, isSale, domain)) return true;
    if (await hasOpen(verdicts, isOfOrder, order.public_id)) return true;
    return this.#hasOpenOfEarlierRelease(isOfOrder);
  }

  /** An earlier release stored results by the sale's key alone: what is left of them is read once. */
  async #hasOpenOfEarlierRelease(isOfOrder: (job: JobRecord) => boolean): Promise<boolean> {
    const verdicts = await this.verdicts.openQueue();
    this.#earlier ??= await findEarlier(verdicts);
    const ids = this.#earlier;
    if (ids.length === 0) return false;
    const found = await verdicts.find(ids);
    const open = [...found.values()].filter(({ state }) => state !== 'done');
    this.#earlier = open.map(({ id }) => id);
    return open.some(isOfOrder);
  }

  /** Any claim may have sent the sale. */
  async mayHaveBeenSent(key: string): Promise<boolean> {
    const job = (await (await this.intents.openQueue()).find([key])).get(key);
    return job === undefined || job.claims > 0;
  }

  /** The sales by their state, and whether work of them is due that no program takes. */
  async counts() {
    const orders = await (await this.intents.openQueue()).counts();
    const callbacks = await (await this.verdicts.openQueue()).counts();
    const sales = {
      waiting: orders.waiting,
      placing: orders.running,
      attention: orders.dead + callbacks.dead,
      unreported: callbacks.waiting + callbacks.running,
      oldestWaitingMs: orders.oldestWaitingMs,
    };
    return { sales, isAbandoned: isAbandoned(orders) || isAbandoned(callbacks) };
  }

  /** What the outbox that ran last has stored of itself. */
  async findHealth(): Promise<OutboxHealth | undefined> {
    const stored = await (await this.intents.queue()).checkpoint();
    return (stored as HealthCheckpoint | undefined)?.health;
  }

  /** Writes only what has changed: it is called each minute. */
  async saveHealth(health: OutboxHealth): Promise<void> {
    const stored = (await this.findHealth()) ?? soundHealth;
    if (isDeepStrictEqual(stored, health)) return;
    const at = new Date(this.#settings.time.clock()).toISOString();
    const checkpoint: HealthCheckpoint = { cursor: null, anchors: [], horizon: null, at, health };
    await (await this.intents.queue()).enqueue([], { checkpoint });
  }

  async #store(id: string, content: PendingCallback | StoredNote): Promise<boolean> {
    const ofSale = 'refund' in content && content.refund ? content.intent.key : undefined;
    const sale = ofSale && (await (await this.verdicts.queue()).find([ofSale])).get(ofSale);
    const now = this.#settings.time.clock();
    const job = toVerdictJob(id, content, now, sale ? sale.orderingKey : ofSale);
    return (await (await this.verdicts.queue()).enqueue([job])).added.length > 0;
  }
}

async function findEarlier(verdicts: Pick<DurableQueue, 'list'>): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const jobs of pagesIn(verdicts, 'open')) {
    for (const job of jobs) {
      // Notes, and what needs manual review, have no order.
      const { verdict } = (readContent(job) ?? {}) as Partial<PendingCallback>;
      if (job.id === job.orderingKey && verdict?.state === 'placed') ids.push(job.id);
    }
  }
  return ids;
}

const soundHealth: OutboxHealth = {
  callbacksPaused: null,
  recover: { error: null, refused: 0, differing: 0, problems: [] },
};

async function hasOpen(
  queue: Pick<DurableQueue, 'list'>,
  isWanted: (job: JobRecord) => boolean,
  orderingKey?: string,
): Promise<boolean> {
  for await (const jobs of pagesIn(queue, 'open', orderingKey)) {
    if (jobs.some(isWanted)) return true;
  }
  return false;
}

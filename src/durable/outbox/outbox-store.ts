/** `OutboxStore`: the two queues of an outbox, and everything that is read from them and written to them. */

import { OutboxConflictError } from '../errors.js';
import { isAbandoned } from '../queue/job.js';
import { QueueRunner } from '../queue/queue-runner.js';
import { toEntry } from './outbox-entry.js';
import type { OutboxSettings } from './outbox-options.js';
import type { OutboxEntry } from './outbox-types.js';
import { callbackTimeoutMs } from './report-verdict.js';
import { toJob, type StoredIntent } from './stored-intent.js';
import {
  noteId,
  readContent,
  readIntent,
  readNote,
  toVerdictJob,
  type PendingCallback,
  type StoredNote,
  type StoredVerdict,
} from './stored-verdict.js';

/** What is known about an intent, besides the intent itself. */
export interface KnownFacts {
  readonly verdict: StoredVerdict | undefined;
  readonly cancel: Extract<StoredNote, { note: 'cancel' }> | undefined;
  readonly requote: Extract<StoredNote, { note: 'requote' }> | undefined;
}

/** How the intent of a new payment is stored together with the payment. */
export interface AddOptions<Tx, AddTx> {
  /**
   * Stores the payment. It runs in a short transaction of the engine, which stores the intent, too:
   * both are stored, or neither. Not run for a key that is known. On SQLite it is synchronous.
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
  readonly #clock: () => number;

  constructor(settings: OutboxStoreSettings<Tx, AddTx>) {
    const { engine, queues, leaseMs, time } = settings;
    const limits = { leaseMs, maxRunMs: longestAttemptMs, keepDoneMs: tenYearsMs };
    this.#clock = time.clock;
    this.intents = new QueueRunner(engine, { name: queues.of('orders'), ...limits }, settings);
    this.verdicts = new QueueRunner(
      engine,
      { ...limits, name: queues.of('verdicts'), maxRunMs: callbackTimeoutMs + 10_000 },
      settings,
    );
  }

  /** @returns `false` if the key is known, with the same order. @throws {@link OutboxConflictError} */
  async add(stored: StoredIntent, options: AddOptions<Tx, AddTx>): Promise<boolean> {
    const { added } = await (await this.intents.openQueue()).enqueue([toJob(stored)], options);
    if (added.length === 0) await this.checkSame(stored, options.tx);
    return added.length > 0;
  }

  /** @throws {@link OutboxConflictError} when the key is known: the orders cannot be compared here. */
  addSync(stored: StoredIntent, tx: AddTx): void {
    const queue = this.intents.openQueueSync();
    if (queue?.enqueueSync === undefined) {
      throw new TypeError(
        'addSync() needs sqliteEngine: the transactions of this engine are asynchronous. Await outbox.add() with { write } or { tx }.',
      );
    }
    const { added } = queue.enqueueSync([toJob(stored)], tx);
    if (added.length === 0) throw new OutboxConflictError(stored.key, 'not_compared');
  }

  /** @returns The keys of those that were not known. */
  async addMissing(intents: readonly StoredIntent[]): Promise<readonly string[]> {
    return (await (await this.intents.queue()).enqueue(intents.map(toJob))).added;
  }

  /**
   * @param tx - the transaction that found the key: it may have stored the intent itself.
   * @throws {@link OutboxConflictError} when the key is known with another order.
   */
  async checkSame({ key, sha256 }: StoredIntent, tx?: AddTx): Promise<void> {
    const intent = await this.findIntent(key, tx);
    if (intent?.sha256 !== sha256) throw new OutboxConflictError(key);
  }

  async findIntent(key: string, tx?: AddTx): Promise<StoredIntent | undefined> {
    const job = (await (await this.intents.openQueue()).find([key], tx)).get(key);
    return job && readIntent(job);
  }

  async get(key: string): Promise<OutboxEntry | undefined> {
    const intent = (await (await this.intents.openQueue()).find([key])).get(key);
    if (intent === undefined) return undefined;
    return toEntry(intent, (await (await this.verdicts.openQueue()).find([key])).get(key));
  }

  /** Stores a verdict for its callback, unless the key has one. @returns The one that is stored. */
  async storeVerdict(intent: StoredIntent, verdict: StoredVerdict): Promise<StoredVerdict> {
    await this.#store(intent.key, { intent, verdict });
    return (await this.findFacts(intent.key)).verdict ?? verdict;
  }

  /** Stores the callback of an attempt that needs an operator. Each such attempt has its own. */
  async storeAttention(intent: StoredIntent, id: string, verdict: StoredVerdict): Promise<void> {
    await this.#store(id, { intent, verdict });
  }

  /** Does nothing if the note exists. */
  async storeNote(key: string, note: StoredNote): Promise<void> {
    await this.#store(noteId(key, note.note), note);
  }

  async findFacts(key: string): Promise<KnownFacts> {
    const [cancelId, requoteId] = [noteId(key, 'cancel'), noteId(key, 'requote')];
    const found = await (await this.verdicts.queue()).find([key, cancelId, requoteId]);
    const [verdict, cancel, requote] = [key, cancelId, requoteId].map((id) => found.get(id));
    return {
      verdict: verdict && readContent(verdict)?.verdict,
      cancel: cancel && (readNote(cancel) as KnownFacts['cancel']),
      requote: requote && (readNote(requote) as KnownFacts['requote']),
    };
  }

  /** Any claim may have sent the intent. */
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

  async #store(id: string, content: PendingCallback | StoredNote): Promise<void> {
    await (await this.verdicts.queue()).enqueue([toVerdictJob(id, content, this.#clock())]);
  }
}

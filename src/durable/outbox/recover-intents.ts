/** `Recovery`: adds the sales that the partner's own records have and the outbox does not, and counts those it cannot. */

import { isAborted, raceWithAbort } from '../../core/time/signals.js';
import { startAge } from '../../core/time/sleep.js';
import { summarizeError } from '../callbacks.js';
import { OutboxConflictError } from '../errors.js';
import type { OutboxSettings } from './outbox-options.js';
import type { OutboxStore } from './outbox-store.js';
import type { PaidSale, RecoverProblem, RecoverStatus } from './outbox-types.js';
import { toStoredIntent, type StoredIntent } from './stored-intent.js';

/** Sales in one write. With one each, a long list of them delays those at its end. */
const batchSize = 200;
/** A query that never returns would hold up the events that wait for it, and nobody would hear of it. */
const longestPauseMs = 60_000;
const mostShown = 10;

/** A row of "recover", and how it is called in a message. */
interface Row {
  readonly name: string;
  readonly intent: PaidSale;
}

export class Recovery<Tx, AddTx> {
  readonly #settings: OutboxSettings<Tx, AddTx>;
  readonly #store: OutboxStore<Tx, AddTx>;
  /** Of the last run that reached its end, by name and message. */
  #problems: ReadonlyMap<string, RecoverProblem> = new Map();
  #error: string | null = null;
  #running: Promise<void> | undefined;
  #hasSucceeded: boolean;

  constructor(settings: OutboxSettings<Tx, AddTx>, store: OutboxStore<Tx, AddTx>) {
    this.#settings = settings;
    this.#store = store;
    this.#hasSucceeded = settings.recover === undefined;
  }

  get status(): RecoverStatus {
    const problems = [...this.#problems.values()];
    const differing = problems.filter(({ kind }) => kind === 'differs').length;
    return {
      error: this.#error,
      refused: problems.length - differing,
      differing,
      problems: problems.slice(0, mostShown),
    };
  }

  /**
   * Before it, the outbox does not know which sales there are.
   *
   * @throws {@link Error} that it failed, or why.
   */
  async runFirst(signal: AbortSignal): Promise<void> {
    if (this.#hasEnded()) return;
    await this.run(signal);
    if (!this.#hasEnded()) throw new Error(`"recover" has not ended yet: ${this.#error ?? ''}`);
  }

  #hasEnded(): boolean {
    return this.#hasSucceeded;
  }

  /** Calls at the same time share a run. A failure is logged and shown: stored sales must be placed meanwhile. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#settings.recover === undefined) return;
    this.#running ??= this.#run(signal).finally(() => (this.#running = undefined));
    try {
      await raceWithAbort(this.#running, signal);
    } catch {
      this.#settings.logger.warn(
        '"recover" was stopped before its last row, and will be retried.',
        {},
      );
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { logger } = this.#settings;
    try {
      await this.#addAll(signal);
      this.#error = null;
      this.#hasSucceeded = true;
    } catch (error) {
      if (signal.aborted) return;
      this.#error = summarizeError(error);
      const message = '"recover" failed and will be retried. Stored sales are still being placed.';
      logger.error(message, { error: this.#error });
    }
  }

  async #addAll(signal: AbortSignal): Promise<void> {
    const rows: Row[] = [];
    try {
      // To its end, before anything is written: it may be a cursor on the very connection of the engine.
      await this.#read(rows, signal);
    } finally {
      const problems = new Map<string, RecoverProblem>();
      // A row that cannot be read must not hold back those before it.
      for (let at = 0; at < rows.length; at += batchSize) {
        await this.#addBatch(rows.slice(at, at + batchSize), problems);
      }
      this.#problems = problems;
    }
  }

  async #read(rows: Row[], signal: AbortSignal): Promise<void> {
    const { recover, time } = this.#settings;
    let age = startAge(time);
    const over = new AbortController();
    const read = async () => {
      for await (const intent of recover?.() ?? []) {
        if (isAborted(over.signal)) return;
        const { key } = Object(intent) as { key?: unknown };
        const isNamed = typeof key === 'string' && key !== '';
        rows.push({ name: isNamed ? key : `row ${rows.length + 1}`, intent });
        age = startAge(time);
      }
    };
    const watch = async () => {
      for (let leftMs = longestPauseMs; leftMs > 0; leftMs = longestPauseMs - age()) {
        await time.sleep(leftMs, over.signal);
        if (isAborted(over.signal)) return;
      }
      throw new Error(`It has given no row for ${longestPauseMs} ms.`);
    };
    try {
      await raceWithAbort(Promise.race([read(), watch()]), signal);
    } finally {
      over.abort();
    }
  }

  async #addBatch(batch: readonly Row[], problems: Map<string, RecoverProblem>): Promise<void> {
    const { market, time } = this.#settings;
    const missing = new Map<string, { readonly name: string; readonly stored: StoredIntent }>();
    const collect = ({ name, intent }: Row) => {
      const stored = toStoredIntent(market.orders, intent, time.clock());
      const duplicate = missing.get(stored.key);
      if (duplicate !== undefined && duplicate.stored.sha256 !== stored.sha256) {
        throw new OutboxConflictError(stored.key);
      }
      missing.set(stored.key, { name, stored });
    };
    for (const row of batch) await this.#noteProblem(row.name, problems, () => collect(row));
    const stored = [...missing.values()].map((each) => each.stored);
    for (const key of await this.#store.addMissing(stored)) missing.delete(key);
    for (const { name, stored: known } of missing.values()) {
      await this.#noteProblem(name, problems, () => this.#store.checkSame(known));
    }
  }

  /** A sale that cannot be added must not hold back the payments after it. */
  async #noteProblem(
    name: string,
    problems: Map<string, RecoverProblem>,
    add: () => Promise<void> | void,
  ): Promise<void> {
    try {
      await add();
    } catch (error) {
      const differs = error instanceof OutboxConflictError;
      const row = name.toWellFormed().replaceAll('\0', '').slice(0, 255);
      const message = summarizeError(error);
      const id = `${row} ${message}`;
      problems.set(id, { row, kind: differs ? 'differs' : 'refused', message });
      // Once, and not each minute.
      if (this.#problems.has(id)) return;
      const { logger } = this.#settings;
      if (differs) {
        const text =
          'A sale of "recover" is stored with another order, which is kept. Yield each sale as it was added.';
        logger.warn(text, { key: row, error: message });
      } else {
        const text =
          'A sale that "recover" gave was not added. It is neither ordered nor paid back.';
        logger.error(text, { key: row, error: message });
      }
    }
  }
}

/** `Transactions`: the writes of one turn share a transaction, and so one wait for the disk. */

import type { Time } from '../../core/time/sleep.js';
import { track } from '../queue/track.js';
import { withBusyTimeout, type SqliteDatabase } from './database.js';

interface Write {
  readonly write: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** How long another transaction, of this program or of another process, may hold the database. */
const longestWaitMs = 10_000;
const shortestStepMs = 5;
const longestStepMs = 50;

export class Transactions {
  readonly #database: SqliteDatabase;
  readonly #time: Time;
  readonly #requireFile: () => void;
  readonly #waiting: Write[] = [];
  /** Writes that have not ended. */
  readonly #open = new Set<Promise<unknown>>();
  #isScheduled = false;

  /** @param requireFile - throws where the database is no longer in its file */
  constructor(database: SqliteDatabase, time: Time, requireFile: () => void) {
    this.#database = database;
    this.#time = time;
    this.#requireFile = requireFile;
  }

  /** @throws {@link DurableStateError} when a write of now would be in a file without a name. */
  requireFile(): void {
    this.#requireFile();
  }

  /** Runs the write with the others of this turn; resolves when they are committed. */
  run<T>(write: () => T): Promise<T> {
    const written = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => void this.#commitTurn());
    });
    return track(this.#open, written);
  }

  /** Runs the write in a transaction of its own: begin, write and commit are one synchronous turn. */
  runAlone<T>(write: () => T): Promise<T> {
    return track(
      this.#open,
      this.#whenFree(() => this.#end(write)),
    );
  }

  /** Resolves when the writes that have begun have ended. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#open);
  }

  async #commitTurn(): Promise<void> {
    let writes: readonly Write[] = [];
    const take = () => {
      // Taken after the wait: writes that arrived in the meantime share the transaction.
      writes = this.#waiting.splice(0);
      this.#isScheduled = false;
      return this.#end(() => writes.map(({ write }) => write()));
    };
    try {
      const results = await this.#whenFree(take);
      for (const [index, { resolve }] of writes.entries()) resolve(results[index] as never);
    } catch (error) {
      const failed = writes.length > 0 ? writes : this.#waiting.splice(0);
      if (writes.length === 0) this.#isScheduled = false;
      if (writes.length > 1) await this.#runEach(failed);
      else for (const { reject } of failed) reject(error);
    }
  }

  /** One of them throws. The others must not fail with it: they may belong to other queues. */
  async #runEach(writes: readonly Write[]): Promise<void> {
    for (const { write, resolve, reject } of writes) {
      await this.runAlone(write).then(resolve as (value: unknown) => void, reject);
    }
  }

  #end<T>(write: () => T): T {
    try {
      const result = write();
      this.#database.exec('commit');
      return result;
    } catch (error) {
      rollback(this.#database);
      throw error;
    }
  }

  /**
   * Begins a transaction and calls `work` in the same turn: with an await between the two, writes of the
   * caller on this handle would be in our transaction. If another holds the database, the event loop
   * runs between the tries.
   */
  async #whenFree<T>(work: () => T): Promise<T> {
    const { signal } = new AbortController();
    let stepMs = shortestStepMs;
    for (let waitedMs = 0; ; waitedMs += stepMs) {
      const busy = this.#tryBegin();
      if (busy === undefined) return work();
      if (waitedMs >= longestWaitMs) throw busy;
      stepMs = Math.min(longestStepMs, stepMs + shortestStepMs);
      await this.#time.sleep(stepMs, signal);
    }
  }

  /** @returns why the transaction could not begin yet. */
  #tryBegin(): Error | undefined {
    this.#requireFile();
    try {
      withBusyTimeout(this.#database, 0, () => this.#database.exec('begin immediate'));
      return undefined;
    } catch (error) {
      if (error instanceof Error && (isNested(error) || isLocked(error))) return error;
      throw error;
    }
  }
}

/** Both drivers refuse to begin within a transaction; the properties that say so differ. */
export function isInTransaction(database: SqliteDatabase): boolean {
  try {
    database.exec('begin');
  } catch (error) {
    if (error instanceof Error && isNested(error)) return true;
    throw error;
  }
  rollback(database);
  return false;
}

function rollback(database: SqliteDatabase): void {
  try {
    database.exec('rollback');
  } catch {
    // SQLite has rolled back by itself, as it does when the disk is full.
  }
}

function isNested({ message }: Error): boolean {
  return message.includes('within a transaction');
}

/** better-sqlite3 is "busy" while the program steps through rows of the same handle. */
function isLocked({ message }: Error): boolean {
  return message.includes('is locked') || message.includes('is busy executing');
}

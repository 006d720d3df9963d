/** `Transactions`: the writes of one turn share a transaction, and so one wait for the disk. */

import type { Time } from '../queue/time.js';
import type { SqliteDatabase } from './database.js';

interface Write {
  readonly write: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** How long the caller may keep a transaction of his own open on the handle. */
const longestWaitMs = 10_000;
const waitStepMs = 5;

export class Transactions {
  readonly #database: SqliteDatabase;
  readonly #time: Time;
  readonly #waiting: Write[] = [];
  #isScheduled = false;

  constructor(database: SqliteDatabase, time: Time) {
    this.#database = database;
    this.#time = time;
  }

  /** Runs the write with the others of this turn; resolves when they are committed. */
  run<T>(write: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => void this.#commitTurn());
    });
  }

  /** Runs the write in a transaction of its own: when it throws, only its changes are undone. */
  async runAlone<T>(write: () => T): Promise<T> {
    await this.#begin();
    return this.#end(write);
  }

  async #commitTurn(): Promise<void> {
    let writes: Write[] = [];
    try {
      await this.#begin();
      // Taken after the wait: what came meanwhile shares the transaction.
      writes = this.#waiting.splice(0);
      this.#isScheduled = false;
      const results = this.#end(() => writes.map(({ write }) => write()));
      for (const [index, { resolve }] of writes.entries()) resolve(results[index] as never);
    } catch (error) {
      if (writes.length === 0) {
        writes = this.#waiting.splice(0);
        this.#isScheduled = false;
      }
      for (const { reject } of writes) reject(error);
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

  /** The caller's own transaction on this handle must not swallow our writes: wait for its end. */
  async #begin(): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += waitStepMs) {
      try {
        this.#database.exec('begin immediate');
        return;
      } catch (error) {
        if (!isNested(error) || waitedMs >= longestWaitMs) throw error;
        await this.#time.sleep(waitStepMs, new AbortController().signal);
      }
    }
  }
}

function rollback(database: SqliteDatabase): void {
  try {
    database.exec('rollback');
  } catch {
    // SQLite has rolled back by itself, as it does when the disk is full.
  }
}

function isNested(error: unknown): boolean {
  return error instanceof Error && error.message.includes('within a transaction');
}

/** Functions of the partner: how long they may run, and what is kept of their errors. */

import type { SafeLogger } from '../logger.js';
import type { Time } from './queue/time.js';

interface TimeLimit {
  readonly time: Time;
  readonly ms: number;
  /** The message of the error that the signal and the promise get. */
  readonly message: string;
}

/** Runs a function whose signal fires, and whose run has failed, when it takes longer. */
export async function runWithin(
  { time, ms, message }: TimeLimit,
  run: (timeout: AbortSignal) => unknown,
): Promise<void> {
  const timeout = new AbortController();
  const over = new AbortController();
  const limit = time.sleep(ms, over.signal).then(() => {
    if (over.signal.aborted) return;
    const error = new Error(message);
    timeout.abort(error);
    throw error;
  });
  try {
    // A synchronous throw is a rejection, too.
    await Promise.race([Promise.resolve().then(() => run(timeout.signal)), limit]);
  } finally {
    over.abort();
    await limit.catch(() => undefined);
  }
}

/** A callback that fails must not undo what is stored. */
export async function notify(callback: () => unknown, logger: SafeLogger): Promise<void> {
  try {
    await callback();
  } catch (error) {
    logger.error('A callback of the inbox or outbox failed.', { error: describeError(error) });
  }
}

const longestError = 10_000;

/** The text that is stored: PostgreSQL refuses NUL, and halves of surrogate pairs. */
export function describeError(thrown: unknown): string {
  const text = thrown instanceof Error ? (thrown.stack ?? String(thrown)) : String(thrown);
  return text.toWellFormed().replaceAll('\0', '').slice(0, longestError) || 'unknown';
}

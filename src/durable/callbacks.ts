/** Functions of the partner: how long they may run, and what is stored of their errors. */

import type { SafeLogger } from '../logger.js';
import { raceWithAbort, withTimeout } from './queue/abort.js';
import type { Time } from './queue/time.js';

interface TimeLimit {
  readonly time: Time;
  readonly ms: number;
  /** The message of the error with which the signal aborts and the promise rejects. */
  readonly message: string;
}

/** Runs a function. When it takes longer than the limit, its signal fires and the run fails. */
export async function runWithin(
  { time, ms, message }: TimeLimit,
  run: (timeout: AbortSignal) => unknown,
): Promise<void> {
  await withTimeout(
    time,
    ms,
    // A synchronous throw is a rejection, too.
    (timeout) =>
      raceWithAbort(
        Promise.resolve().then(() => run(timeout)),
        timeout,
      ),
    () => new Error(message),
  );
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

/** The text that is stored: PostgreSQL refuses NUL and lone surrogates. */
export function describeError(thrown: unknown): string {
  const text = thrown instanceof Error ? (thrown.stack ?? String(thrown)) : String(thrown);
  return text.toWellFormed().replaceAll('\0', '').slice(0, longestError) || 'unknown';
}

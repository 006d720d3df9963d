/** Functions of the partner: what is logged and stored of their errors. */

import type { SafeLogger } from '../logger.js';

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

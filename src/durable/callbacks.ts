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
  const isError = thrown instanceof Error;
  const text = withoutAdvice(thrown, isError ? (thrown.stack ?? String(thrown)) : String(thrown));
  return text.toWellFormed().replaceAll('\0', '').slice(0, longestError) || 'unknown';
}

/**
 * A text of an error, without the client's advice to its caller: an operator who resumed a sale as it says
 * would pay the buyer back while the outbox places the order.
 */
export function withoutAdvice(error: unknown, text: string): string {
  // As a field, not by class: there may be two copies of the package.
  const { advice } = Object(error) as { advice?: unknown };
  return typeof advice === 'string' && advice !== '' ? text.replace(` ${advice}`, '') : text;
}

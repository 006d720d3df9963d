/** Functions of the partner: what is logged and stored of their errors. */

import { readError, withAnswer } from '../core/errors/read-error.js';
import type { SafeLogger } from '../core/logger.js';

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
  const text = thrown instanceof Error ? stackOf(thrown) : String(thrown);
  return text.toWellFormed().replaceAll('\0', '').slice(0, longestError) || 'unknown';
}

/** The response goes next to the message: it would be lost where only the first lines are shown. */
function stackOf(error: Error): string {
  const { message, stack = String(error) } = error;
  return stack.replace(message, () => factsOf(error));
}

/**
 * The message with the response, without the client's advice to its caller. Somebody who resumed a sale
 * as it says would pay the buyer back while the outbox places the order.
 */
export function factsOf(error: Error): string {
  const { message } = error;
  const { advice } = readError(error);
  const facts = typeof advice === 'string' ? message.replace(` ${advice}`, () => '') : message;
  return withAnswer(facts, error);
}

/** One line for logs and for `status()`. */
export function summarizeError(thrown: unknown): string {
  return withAnswer(String(thrown), thrown);
}

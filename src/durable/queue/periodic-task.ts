/** `repeat`: runs a task of a started queue from time to time. */

import { summarizeError } from '../callbacks.js';
import type { SafeLogger } from '../../core/logger.js';
import { isAborted, raceWithAbort } from '../../core/time/signals.js';
import type { Time } from '../../core/time/sleep.js';

/** A task of a started queue, and how often it runs. */
export interface PeriodicTask {
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
}

interface RepeatContext {
  readonly time: Time;
  readonly random: () => number;
  readonly logger: SafeLogger;
}

/** Resolves when `stop` fires: after the run that is under way, or at once when `abandon` fires. */
export async function repeat(
  { everyMs, run }: PeriodicTask,
  { time, random, logger }: RepeatContext,
  stop: AbortSignal,
  abandon: AbortSignal,
): Promise<void> {
  for (let failures = 0; ;) {
    // ±20 % jitter, so that processes started together do not poll in step.
    await time.sleep(everyMs * (0.8 + 0.4 * random()), stop);
    if (isAborted(stop)) return;
    try {
      await raceWithAbort(run(), abandon);
      failures = 0;
    } catch (error) {
      if (isAborted(stop)) return;
      failures += 1;
      const level = failures >= 3 ? 'error' : 'warn';
      logger[level]('A periodic task failed and will be retried.', {
        failures,
        error: summarizeError(error),
      });
    }
  }
}

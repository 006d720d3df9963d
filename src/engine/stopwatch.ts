/**
 * One call's time: how much has passed, and waiting for more of it. A wait counts in full even
 * where a test's faked sleep returned at once, so that deadlines hold there too.
 */

import type { Config } from '../config.js';
import { wait } from './wait.js';

/** Milliseconds that only ever grow. One function for all clients: two of them can tell that they count alike. */
export const monotonic = (): number => performance.now();

export class Stopwatch {
  readonly #config: Pick<Config, 'elapsed' | 'sleep'>;
  readonly #startedMs: number;
  #skippedMs = 0;

  constructor(config: Pick<Config, 'elapsed' | 'sleep'>) {
    this.#config = config;
    this.#startedMs = config.elapsed();
  }

  /** On the scale of the client's monotonic clock. */
  nowMs(): number {
    return this.#config.elapsed() + this.#skippedMs;
  }

  /** Milliseconds since this call began. */
  passedMs(): number {
    return this.nowMs() - this.#startedMs;
  }

  /** @throws the signal's reason, at once when it fires. */
  async wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const beforeMs = this.nowMs();
    await wait(ms, signal, this.#config.sleep);
    this.#skippedMs += Math.max(0, ms - (this.nowMs() - beforeMs));
  }
}

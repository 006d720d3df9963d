/** Deadline: the time that a call has used, and sleeping that counts towards it. */

import { pause, type Time, type Wake } from './sleep.js';

type Clock = Time['clock'];
type Sleep = Time['sleep'];

export class Deadline {
  readonly #now: Clock;
  readonly #sleep: Sleep | undefined;
  #startedMs: number | undefined;
  /** What faked sleeps skipped without moving the clock: deadlines must hold in tests too. */
  #virtualMs = 0;

  constructor(config: { readonly monotonicClock: Clock; readonly sleep: Sleep | undefined }) {
    this.#now = config.monotonicClock;
    this.#sleep = config.sleep;
  }

  /** On the scale of the client's monotonic clock. */
  nowMs(): number {
    return this.#now() + this.#virtualMs;
  }

  /** Milliseconds since this was first asked. The constructor reads no clock: a caller's may throw. */
  elapsedMs(): number {
    const nowMs = this.nowMs();
    this.#startedMs ??= nowMs;
    return nowMs - this.#startedMs;
  }

  /**
   * @param wake - ends the sleep early.
   * @throws the signal's reason, at once when it fires.
   */
  async sleep(ms: number, signal: AbortSignal | undefined, wake?: Wake): Promise<void> {
    const beforeMs = this.nowMs();
    const woken = await pause(ms, [signal], { sleep: this.#sleep, wake });
    if (!woken) this.#virtualMs += Math.max(0, ms - (this.nowMs() - beforeMs));
  }
}

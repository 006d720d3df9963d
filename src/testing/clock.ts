/** The emulator's clock. */

import { isDate } from 'node:util/types';
import { toMilliseconds, type Duration } from './values.js';

/** The last moment of a JavaScript Date. */
const maxTime = 8.64e15;

/**
 * The service's clock. It runs with the option `clock` of the emulator: real time by default. It
 * jumps on demand, so that a test of time does not wait.
 *
 * A jump moves the service, not the client: a client whose own clock stays behind by more than
 * 300 seconds is refused with `invalid_timestamp`, as it would be by the real service. Give the
 * client `clock: emulator.clock.now` unless the test is about that.
 *
 * @example
 * ```ts
 * import { MarketEmulator } from 'market-partner-sdk/testing';
 *
 * const emulator = await MarketEmulator.start();
 * emulator.clock.advance('11 minutes');
 * await emulator.stop();
 * ```
 */
export class EmulatorClock {
  readonly #source: () => number;
  readonly #onJump: () => void;
  #offsetMs = 0;

  /** @internal */
  constructor(source: () => number, onJump: () => void) {
    this.#source = source;
    this.#onJump = onJump;
  }

  /** The service's time in Unix milliseconds. A bound function: it can be passed on by itself. */
  readonly now = (): number => this.#source() + this.#offsetMs;

  /** @internal How far the clock is ahead of its source, in milliseconds. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** @internal Puts the clock as far ahead of its source as a snapshot says. */
  restoreOffset(offsetMs: number): void {
    this.#jump('clockOffsetMs', offsetMs);
  }

  /** Moves the clock forward: `advance('11 minutes')`, `advance('7 days')`, `advance(1_500)`. */
  advance(duration: Duration): void {
    this.#jump('duration', this.#offsetMs + toMilliseconds(duration));
  }

  /** Sets the clock to a `Date` or to Unix milliseconds. It runs on from there. */
  set(time: Date | number): void {
    const target = isDate(time) ? time.getTime() : time;
    if (!Number.isFinite(target)) {
      throw new TypeError('"time" must be a valid Date or a finite number of Unix milliseconds');
    }
    this.#jump('time', target - this.#source());
  }

  #jump(name: string, offsetMs: number): void {
    // Later no Date is valid, and every timestamp of the service would throw.
    if (!(Math.abs(this.#source() + offsetMs) <= maxTime)) {
      throw new TypeError(`"${name}" must lead to a time that a Date can hold`);
    }
    this.#offsetMs = offsetMs;
    this.#onJump();
  }
}

/** The emulator's clock, and durations in words. */

import { isDate } from 'node:util/types';

const millisecondsPerUnit = {
  millisecond: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
} as const;

/** The last moment of a JavaScript Date. */
const maxTime = 8.64e15;

type Unit = keyof typeof millisecondsPerUnit;

/** A length of time: milliseconds, or a number and a unit in words. */
export type Duration = number | `${number} ${Unit}` | `${number} ${Unit}s`;

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
    this.#jump('duration', this.#offsetMs + toMilliseconds(duration, 'duration'));
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

/** Parses a duration to milliseconds; the error names `name`. */
export function toMilliseconds(duration: Duration, name: string): number {
  const milliseconds = typeof duration === 'number' ? duration : parseWords(duration);
  if (!(milliseconds >= 0 && Number.isFinite(milliseconds))) {
    throw new TypeError(
      `"${name}" must be milliseconds of zero or more, or words like '11 minutes' or '7 days'; got ${JSON.stringify(duration)}`,
    );
  }
  return milliseconds;
}

function parseWords(words: unknown): number {
  if (typeof words !== 'string') return NaN;
  const match = /^(\d+(?:\.\d+)?) (millisecond|second|minute|hour|day|week)s?$/.exec(words.trim());
  return match === null ? NaN : Number(match[1]) * millisecondsPerUnit[match[2] as Unit];
}

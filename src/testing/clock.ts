const millisecondsPerUnit = {
  millisecond: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
} as const;

type Unit = keyof typeof millisecondsPerUnit;

/** A length of time: milliseconds, or a number and a unit in words. */
export type Duration = number | `${number} ${Unit}` | `${number} ${Unit}s`;

/**
 * The service's clock. It runs with the clock that the emulator was started with (real time unless
 * told otherwise) and jumps when it is told to, so that a test of time has nothing to wait for.
 *
 * A jump moves the service, not the client: a client whose own clock stays behind by more than
 * 300 seconds is refused with `invalid_timestamp`, as it would be by the real service. Give the
 * client `clock: emulator.clock.now` where that is not what the test is about.
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
  readonly #jumped: () => void;
  #offsetMs = 0;

  /** @internal */
  constructor(source: () => number, jumped: () => void) {
    this.#source = source;
    this.#jumped = jumped;
  }

  /** The service's time in Unix milliseconds. It may be handed on as a function. */
  readonly now = (): number => this.#source() + this.#offsetMs;

  /** Moves the clock forward: `advance('11 minutes')`, `advance('7 days')`, `advance(1_500)`. */
  advance(duration: Duration): void {
    this.#offsetMs += toMilliseconds(duration, 'duration');
    this.#jumped();
  }

  /** Puts the clock at a time, a `Date` or Unix milliseconds. It runs on from there. */
  set(time: Date | number): void {
    const target = typeof time === 'number' ? time : time.getTime();
    if (!Number.isFinite(target)) {
      throw new TypeError('"time" must be a valid Date or a finite number of Unix milliseconds');
    }
    this.#offsetMs = target - this.#source();
    this.#jumped();
  }
}

/** Reads a duration as milliseconds; refuses what is negative or not understood, by `name`. */
export function toMilliseconds(duration: Duration, name: string): number {
  const milliseconds = typeof duration === 'number' ? duration : parseWords(duration);
  if (!(milliseconds >= 0 && Number.isFinite(milliseconds))) {
    throw new TypeError(
      `"${name}" must be milliseconds of zero or more, or words like '11 minutes' or '7 days'; got ${JSON.stringify(duration)}`,
    );
  }
  return milliseconds;
}

function parseWords(words: string): number {
  const match = /^(\d+(?:\.\d+)?) (millisecond|second|minute|hour|day|week)s?$/.exec(words.trim());
  return match === null ? NaN : Number(match[1]) * millisecondsPerUnit[match[2] as Unit];
}

import { DeliveryFaults } from '../deliveries/delivery-faults.js';
import type { Fault } from './fault.js';
import { matcher, type FaultMatch, type FaultSubject } from './match.js';

/** How often a fault strikes. */
export interface FaultTimes {
  /** How many calls; `Infinity` is until {@link Faults.clear}. */
  readonly times?: number;
}

interface Rule {
  readonly matches: (request: FaultSubject) => boolean;
  readonly faults: readonly Fault[];
  left: number;
}

/**
 * What goes wrong, and with which calls. The request is verified and logged in any case, so that
 * a retry after a fault is held to the rules like any other call.
 *
 * Latency and a wrong clock add to whatever else strikes a call; of the other faults only one can
 * strike, the first that was asked for.
 *
 * @example
 * ```ts
 * import { fault, MarketEmulator } from 'market-partner-sdk/testing';
 *
 * const emulator = await MarketEmulator.start();
 * const { faults } = emulator;
 * faults.next(fault.internalError());
 * faults.on('GET /domains/search', [fault.latency('2 seconds'), fault.rateLimited(1)]);
 * faults.deliveries.next('lost');
 * console.log(faults.pending);
 * faults.clear();
 * await emulator.stop();
 * ```
 */
export class Faults {
  /** Faults of webhook deliveries. */
  readonly deliveries = new DeliveryFaults();
  #queue: (readonly Fault[])[] = [];
  #rules: Rule[] = [];

  /**
   * The next call, whichever it is; a second `next` is for the call after that. Give several
   * faults in an array to have them strike together.
   *
   * @param fault - What goes wrong, or several things that go wrong together.
   * @param options - `times`: that many calls in a row; 1 unless given.
   */
  next(fault: Fault | readonly Fault[], { times = 1 }: FaultTimes = {}): void {
    checkTimes(times);
    if (times === Infinity) {
      this.#rules.push({ matches: () => true, faults: [fault].flat(), left: Infinity });
      return;
    }
    for (let count = 0; count < times; count += 1) this.#queue.push([fault].flat());
  }

  /**
   * Every call that matches.
   *
   * @param match - Which calls.
   * @param fault - What goes wrong, or several things that go wrong together.
   * @param options - `times`: only the first so many of them; `Infinity` unless given.
   */
  on(match: FaultMatch, fault: Fault | readonly Fault[], options: FaultTimes = {}): void {
    const { times = Infinity } = options;
    checkTimes(times);
    this.#rules.push({ matches: matcher(match), faults: [fault].flat(), left: times });
  }

  /** Nothing goes wrong any more, deliveries included. */
  clear(): void {
    this.#queue = [];
    this.#rules = [];
    this.deliveries.clear();
  }

  /** How many faults are still to strike; `Infinity` where one of them has no end. */
  get pending(): number {
    return this.#rules.reduce((sum, { left }) => sum + left, this.#queue.length);
  }

  /** @internal The faults that strike this call; they are used up by it. */
  take(request: FaultSubject): Fault[] {
    const struck: Fault[] = [...(this.#queue.shift() ?? [])];
    for (const rule of this.#rules) {
      if (!rule.matches(request)) continue;
      const fits = rule.faults.every(isAddition) || !struck.some((each) => !isAddition(each));
      if (!fits) continue;
      rule.left -= 1;
      struck.push(...rule.faults);
    }
    if (this.#rules.some(({ left }) => left <= 0)) {
      this.#rules = this.#rules.filter(({ left }) => left > 0);
    }
    return struck;
  }
}

function isAddition({ kind }: Fault): boolean {
  return kind === 'latency' || kind === 'wrongClock';
}

function checkTimes(times: number): void {
  if (!(times === Infinity || (Number.isInteger(times) && times > 0))) {
    throw new TypeError('"times" must be a whole number above zero, or Infinity');
  }
}

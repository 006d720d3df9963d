/** The armed faults: `emulator.faults`. */

import { check } from '../values.js';
import { DeliveryFaults } from './delivery-faults.js';
import { ChanceSource, latencySampler } from './chance.js';
import {
  frequency,
  nextFaultId,
  titleWithChance,
  type ArmedFault,
  type FaultOptions,
} from './fault-options.js';
import { checkFaults, type Fault } from './fault.js';
import { createMatcher, type FaultMatcher, type FaultRequest } from './match.js';
import { HistoryFaults, OrderListFaults } from './visibility-faults.js';

/** An entry of the queue of `next`, or a rule of `on`. */
interface Armed {
  readonly id: string;
  readonly faults: readonly Fault[];
  readonly chance: number;
  /** Whether it applies to a call that it matches; drawn for each. */
  readonly isHit: () => boolean;
  /** The faults for one call: a latency that is distributed has its own value each time. */
  readonly draw: () => readonly Fault[];
  left: number;
}

interface Rule extends Armed {
  readonly match: string;
  readonly matches: (request: FaultRequest) => boolean;
}

/**
 * The faults of calls. A request with a fault is verified and logged like any other. So a retry after
 * it must follow the rules like any other call.
 *
 * Latency and a wrong clock add to other faults of a call; of the others only the first that was
 * armed applies.
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
  readonly deliveries: DeliveryFaults;
  /** Faults of the event history. */
  readonly history: HistoryFaults;
  /** Faults of the list of orders. */
  readonly orderList: OrderListFaults;
  readonly #chances: ChanceSource;
  #queue: Armed[] = [];
  #rules: Rule[] = [];

  /** @internal */
  constructor(seed: number) {
    this.#chances = new ChanceSource(seed);
    this.deliveries = new DeliveryFaults('deliveries', this.#chances);
    this.history = new HistoryFaults('history', this.#chances);
    this.orderList = new OrderListFaults('orderList', this.#chances);
  }

  /**
   * Arms a fault for the next call; a second `next` is for the call after that. Faults in an array
   * apply together.
   *
   * @param fault - one fault, or several that apply together
   * @param options - `times`: this many calls in a row; 1 unless given
   */
  next(fault: Fault | readonly Fault[], options: FaultOptions = {}): void {
    const armed = this.#armed(fault, options, 1);
    // A fault without an end would block every later `next`.
    if (armed.left === Infinity) this.#rules.push({ ...armed, match: 'all', matches: () => true });
    else this.#queue.push(armed);
  }

  /**
   * Arms a fault for every call that matches.
   *
   * @param match - the calls
   * @param fault - one fault, or several that apply together
   * @param options - `times`: the first ones, this many; `Infinity` unless given
   */
  on(match: FaultMatcher, fault: Fault | readonly Fault[], options: FaultOptions = {}): void {
    const armed = this.#armed(fault, options, Infinity);
    const name = typeof match === 'function' ? 'function' : String(match);
    this.#rules.push({ ...armed, match: name, matches: createMatcher(match) });
  }

  /** The armed faults as plain data, in the order in which they were armed. */
  list(): ArmedFault[] {
    const queued = this.#queue.map((each) => ({ ...each, match: 'next' }));
    const calls = [...queued, ...this.#rules].map(({ id, match, faults, left, chance }) => ({
      id,
      target: 'calls' as const,
      match,
      kinds: faults.map(({ kind }) => kind),
      title: titleWithChance(faults.map(titleOf).join(', '), chance),
      left,
      chance,
    }));
    return [...calls, ...this.deliveries.list(), ...this.history.list(), ...this.orderList.list()];
  }

  /** Removes one armed fault; `false` if it has been used up already. */
  remove(id: string): boolean {
    const count = this.#queue.length + this.#rules.length;
    this.#queue = this.#queue.filter((each) => each.id !== id);
    this.#rules = this.#rules.filter((each) => each.id !== id);
    return (
      this.#queue.length + this.#rules.length < count ||
      [this.deliveries, this.history, this.orderList].some((each) => each.remove(id))
    );
  }

  /** Removes every fault, those of deliveries, of the history and of the order list included. */
  clear(): void {
    this.#queue = [];
    this.#rules = [];
    this.deliveries.clear();
    this.history.clear();
    this.orderList.clear();
    this.#chances.reset();
  }

  /** How many faults are still armed; `Infinity` if one of them has no end. */
  get pending(): number {
    return [...this.#queue, ...this.#rules].reduce((sum, { left }) => sum + left, 0);
  }

  /** @internal Returns the faults of this call and counts them as used. */
  consume(request: FaultRequest): Fault[] {
    const activeFaults: Fault[] = [...this.#consumeNext()];
    for (const rule of this.#rules) {
      if (!rule.matches(request)) continue;
      const fits = rule.faults.every(isAdditive) || !activeFaults.some((each) => !isAdditive(each));
      if (!fits || !rule.isHit()) continue;
      rule.left -= 1;
      activeFaults.push(...rule.draw());
    }
    if (this.#rules.some(({ left }) => left <= 0)) {
      this.#rules = this.#rules.filter(({ left }) => left > 0);
    }
    return activeFaults;
  }

  #consumeNext(): readonly Fault[] {
    const [first] = this.#queue;
    if (first?.isHit() !== true) return [];
    first.left -= 1;
    if (first.left <= 0) this.#queue.shift();
    return first.draw();
  }

  #armed(fault: Fault | readonly Fault[], options: FaultOptions, timesUnlessGiven: number): Armed {
    const { times = timesUnlessGiven, chance } = check(frequency, options);
    const faults = [fault].flat();
    checkFaults(faults);
    const random = this.#chances.nextStream();
    const draws = faults.map((each) => drawOf(each, random));
    return {
      id: nextFaultId(),
      faults,
      chance,
      isHit: () => chance === 1 || random() < chance,
      draw: () => draws.map((draw) => draw()),
      left: times,
    };
  }
}

function drawOf(fault: Fault, random: () => number): () => Fault {
  if (fault.kind !== 'latency' || fault.p99Ms === undefined) return () => fault;
  const sample = latencySampler({ medianMs: fault.ms, p99Ms: fault.p99Ms }, random);
  return () => ({ kind: 'latency', ms: sample() });
}

function titleOf(fault: Fault): string {
  if (fault.kind === 'latency') {
    return `latency ${[fault.ms, fault.p99Ms ?? []].flat().join('..')} ms`;
  }
  return fault.kind === 'response' ? `status ${fault.status}` : fault.kind;
}

/** Latency and a wrong clock add to any other fault of the same request. */
export function isAdditive({ kind }: Fault): boolean {
  return kind === 'latency' || kind === 'wrongClock';
}

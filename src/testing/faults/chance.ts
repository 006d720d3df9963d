/** Repeatable chance: the same seed, faults and calls give the same decisions and latencies. */

import { randomFrom } from '../identifiers.js';

/** An odd number without a pattern: each armed fault has its own stream of numbers. */
const streamStep = 0x632b_e5ab;

/** Gives each armed fault its own random numbers, so that no fault changes those of another. */
export class ChanceSource {
  readonly #seed: number;
  #streams = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Numbers from 0 up to 1, for the fault that is armed next. */
  nextStream(): () => number {
    this.#streams += 1;
    return randomFrom(this.#seed + this.#streams * streamStep);
  }

  /** Starts again: faults that are armed from now on get the same numbers as after the start. */
  reset(): void {
    this.#streams = 0;
  }
}

/** How long a service takes: half of the responses up to the median, 99 of 100 up to the p99. */
export interface LatencyDistribution {
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** The quantile of the standard normal distribution at 0.99. */
const p99Deviations = 2.326_347_874;

/** Of this many values in a row, one is in each percent of the distribution. */
const strata = 100;

/**
 * Latencies of a log-normal distribution. They are stratified: of each 100, one is above the p99, so
 * that a test of some hundred calls meets the slow ones.
 */
export function latencySampler(
  { medianMs, p99Ms }: LatencyDistribution,
  random: () => number,
): () => number {
  const sigma = Math.log(p99Ms / medianMs) / p99Deviations;
  let order: number[] = [];
  return () => {
    if (order.length === 0) order = shuffled(strata, random);
    const stratum = order.pop() ?? 0;
    // The two ends of the distribution are at infinity.
    const share = Math.min(Math.max((stratum + random()) / strata, 1e-6), 1 - 1e-6);
    return medianMs * Math.exp(sigma * normalQuantile(share));
  };
}

/** The numbers below a count in random order. */
function shuffled(count: number, random: () => number): number[] {
  return Array.from({ length: count }, (_, at) => ({ at, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ at }) => at);
}

/** The quantile of the standard normal distribution, within 0.00045 (Hastings' approximation). */
function normalQuantile(share: number): number {
  const tail = Math.sqrt(-2 * Math.log(Math.min(share, 1 - share)));
  const above = 2.515_517 + tail * (0.802_853 + tail * 0.010_328);
  const below = 1 + tail * (1.432_788 + tail * (0.189_269 + tail * 0.001_308));
  const deviations = tail - above / below;
  return share < 0.5 ? -deviations : deviations;
}

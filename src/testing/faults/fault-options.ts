/** The options that several kinds of faults share, and their checks. */

import { checkOptions, optionCheck, type OptionTable } from '../../options.js';
import { invalidOption } from '../invalid-option.js';

/** How often a fault applies. */
export interface FaultOptions {
  /** How many calls, events or orders; `Infinity`: until the faults are cleared. */
  readonly times?: number;
  /**
   * The probability that it applies to a call, event or order that matches: above 0, up to 1, which is
   * the default. One that it does not apply to does not count for `times`. The emulator's `seed`
   * decides, so the same calls in the same order meet the same faults.
   */
  readonly chance?: number;
}

/** A fault that is armed, as plain data. */
export interface ArmedFault {
  /** Identifies it for {@link Faults.remove}. */
  readonly id: string;
  /** What it applies to: calls, deliveries, the history, the list of orders. */
  readonly target: 'calls' | 'deliveries' | 'history' | 'orderList';
  /** The calls or the type of events; `'next'` for the next call, `'all'` without a restriction. */
  readonly match: string;
  /** The kinds of the faults that apply together. */
  readonly kinds: readonly string[];
  /** The kinds in words: a response has its status, `'status 429'`. */
  readonly title: string;
  /** How often it still applies; `Infinity`: until it is removed. */
  readonly left: number;
  /** The probability that it applies; 1: always. */
  readonly chance: number;
}

let lastId = 0;

/** An id for a fault that is armed. */
export function nextFaultId(): string {
  lastId += 1;
  return `flt_${lastId}`;
}

export const faultRules: OptionTable<FaultOptions> = {
  times: optionCheck(
    'must be a whole number above zero, or Infinity',
    (it) => it === Infinity || (Number.isInteger(it) && Number(it) > 0),
  ),
  chance: optionCheck(
    'must be a number above 0, up to 1',
    (it) => typeof it === 'number' && it > 0 && it <= 1,
  ),
};

/** @throws {@link TypeError} that names the option and the rule that it breaks */
export function checkFaultOptions(options: FaultOptions): FaultOptions {
  return checkOptions<FaultOptions>(faultRules, options, invalidOption);
}

/** The title of an armed fault, with its chance. */
export function titleWithChance(title: string, chance: number): string {
  return chance === 1 ? title : `${title} (chance ${chance})`;
}

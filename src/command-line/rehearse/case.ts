/** Case: one row of the catalog, and the scene that it plays in. */

import type { Finding } from './findings.js';
import type { RuleName } from './rules.js';
import type { Sale } from './sale.js';
import type { Stage } from './stage.js';

/** The options that a case may need and that may be left out. */
export type Need = 'ask' | 'webhook' | 'withdraw';

export interface Case {
  /** For `--only`. */
  readonly name: string;
  /** What happens, for the table. */
  readonly title: string;
  /** `1` unless given. */
  readonly sells?: number;
  readonly needs?: readonly Need[];
  /**
   * `'overlapping'`, which come first: it acts alone, and its end is awaited while the next cases play. `'shared'`:
   * together with others, since its faults are for its own domain only. `'alone'`, which come last: while the others
   * at most wait. `'shared'` unless given.
   */
  readonly turn?: 'shared' | 'alone' | 'overlapping';
  /** Starts before the others that are shared, and may wait for longer than they and those alone take. */
  readonly isLong?: true;
  /**
   * `false`: the sale may be refused. `true`: without --ask it must be placed, since nothing says that the buyer
   * was paid back. `'always'`: nothing in the case is a reason to pay back. `true` unless given.
   */
  readonly mustBePlaced?: boolean | 'always';
  /** Each sale but the first is of the first one's domain, after it. */
  readonly resells?: true;
  /** A price that ends in cents that a float loses; whole units unless given. */
  readonly hasOddPrice?: true;
  /** A price just below 1,000.00: as a text, the risen one is less. */
  readonly gainsDigit?: true;
  /** The rule that a wrong belief breaks here. */
  readonly beliefRule?: RuleName;
  /** Arms the faults. */
  readonly arrange?: (scene: Scene) => void;
  /** Sells every sale once unless given. */
  readonly act?: (scene: Scene) => Promise<unknown>;
  /** More checks than those of every sale, made once the sales have ended. */
  readonly expect?: (scene: Scene) => Promise<readonly Finding[]>;
}

export interface Scene extends Stage {
  readonly sales: readonly Sale[];
  readonly sale: Sale;
  /** A whole number from 0 up to `below`; the same seed gives the same. */
  readonly random: (below: number) => number;
}

/** What the case is about did not happen, so it does not count as passed. */
export class NotExercised extends Error {}

/** The case does not apply to this program. */
export class NotApplicable extends Error {}

/** The order of a sale. @throws {@link NotExercised} if there is none to continue with */
export async function placedOrder(sale: Sale): Promise<string> {
  await sale.settle();
  const [order] = sale.standingOrders;
  if (order !== undefined) return order.publicId;
  throw new NotExercised(`${sale.payment} has no order, and the case goes on from there`);
}

/** What the buyer pays in a case, in cents. */
export function priceOf({ hasOddPrice, gainsDigit }: Case, random: Scene['random']): number {
  const [least, steps] = gainsDigit === true ? [95_000, 40] : [51_000, 4_000];
  let cents = least + random(steps) * 100;
  while (hasOddPrice === true && Math.trunc((cents / 100) * 100) === cents) cents += 1;
  return cents;
}

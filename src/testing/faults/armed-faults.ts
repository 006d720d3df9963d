/** ArmedFaults: what the faults of deliveries, of the history and of the order list share. */

import type { ChanceSource } from './chance.js';
import { nextFaultId, titleWithChance, type ArmedFault } from './fault-options.js';

interface Armed<Kind extends string> {
  readonly id: string;
  readonly kind: Kind;
  readonly lateMs: number;
  /** `undefined`: it applies to every type. */
  readonly type: string | undefined;
  readonly chance: number;
  readonly random: () => number;
  left: number;
}

/** The armed faults of one target, and how each is used up. */
export class ArmedFaults<Kind extends string> {
  readonly #target: ArmedFault['target'];
  readonly #chances: ChanceSource;
  #armed: Armed<Kind>[] = [];

  /** @internal */
  constructor(target: ArmedFault['target'], chances: ChanceSource) {
    this.#target = target;
    this.#chances = chances;
  }

  /** @internal */
  arm(fault: Omit<Armed<Kind>, 'id' | 'random'>): void {
    this.#armed.push({ id: nextFaultId(), random: this.#chances.nextStream(), ...fault });
  }

  /** The armed faults as plain data. */
  list(): ArmedFault[] {
    return this.#armed.map(({ id, kind, type, left, chance }) => ({
      id,
      target: this.#target,
      match: type ?? 'all',
      kinds: [kind],
      title: titleWithChance(kind, chance),
      left,
      chance,
    }));
  }

  /** Removes one armed fault; `false` if it has been used up already. */
  remove(id: string): boolean {
    const count = this.#armed.length;
    this.#armed = this.#armed.filter((each) => each.id !== id);
    return this.#armed.length < count;
  }

  /** Removes the armed faults. What is late already stays late. */
  clear(): void {
    this.#armed = [];
  }

  /** @internal Returns the first fault for a type that applies this time, and counts it as used. */
  consume(type?: string): Armed<Kind> | undefined {
    const first = this.#armed.find(
      (each) =>
        (each.type === undefined || each.type === type) &&
        (each.chance === 1 || each.random() < each.chance),
    );
    if (first === undefined) return undefined;
    first.left -= 1;
    this.#armed = this.#armed.filter(({ left }) => left > 0);
    return first;
  }
}

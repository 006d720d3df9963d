/** Reproducible identifiers. */

const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

/** How far a series of identifiers has come. */
export interface IdentifiersSnapshot {
  readonly seed: number;
  /** Random letters drawn so far. */
  readonly drawn: number;
  readonly count: number;
}

/**
 * Opaque identifiers that are the same for the same seed: a failing test can be repeated, and a
 * snapshot does not change.
 */
export class Identifiers {
  #random: () => number;
  #seed: number;
  #drawn = 0;
  #count = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = randomFrom(seed);
  }

  /** A prefix such as `ord_`, random letters, and a counter that makes it unique. */
  next(prefix: string): string {
    this.#count += 1;
    return `${prefix}${this.letters(8)}${this.#count.toString(36).padStart(4, '0')}`;
  }

  letters(length: number): string {
    let letters = '';
    for (let at = 0; at < length; at += 1) {
      this.#drawn += 1;
      letters += alphabet.charAt(Math.floor(this.#random() * alphabet.length));
    }
    return letters;
  }

  snapshot(): IdentifiersSnapshot {
    return { seed: this.#seed, drawn: this.#drawn, count: this.#count };
  }

  restore({ seed, drawn, count }: IdentifiersSnapshot): void {
    this.#seed = seed;
    this.#drawn = drawn;
    this.#count = count;
    this.#random = randomFrom(seed, drawn);
  }
}

const increment = 0x9e3779b9;

/**
 * Numbers in [0, 1) from a seed: a 32-bit counter through an avalanche mix.
 *
 * @param drawn - how many numbers to skip
 */
export function randomFrom(seed: number, drawn = 0): () => number {
  let state = (seed + Math.imul(increment, drawn)) >>> 0;
  return () => {
    state = (state + increment) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 0x1_0000_0000;
  };
}

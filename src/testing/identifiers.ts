const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

/**
 * Identifiers that look opaque, as the service's do, and come out the same for the same seed, so
 * that a failing test can be run again and a snapshot stays put.
 */
export class Identifiers {
  readonly #random: () => number;
  #count = 0;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  /** `ord_` and the like, then letters of chance, then a count that keeps it unique. */
  next(prefix: string): string {
    this.#count += 1;
    return `${prefix}${this.letters(8)}${this.#count.toString(36).padStart(4, '0')}`;
  }

  letters(length: number): string {
    let letters = '';
    for (let at = 0; at < length; at += 1) {
      letters += alphabet.charAt(Math.floor(this.#random() * alphabet.length));
    }
    return letters;
  }
}

/** Numbers in [0, 1) from a seed: a 32-bit counter through an avalanche mix. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 0x1_0000_0000;
  };
}

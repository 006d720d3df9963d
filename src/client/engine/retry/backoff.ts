/** backoffMs: the pause before a repeat. */

/** Exponential back-off with full jitter: anything from nothing to the bound, which doubles. */
export function backoffMs(attempts: number, random: () => number): number {
  return Math.floor(random() * Math.min(maxBackoffMs, baseBackoffMs * 2 ** (attempts - 1)));
}

const baseBackoffMs = 500;
const maxBackoffMs = 8_000;

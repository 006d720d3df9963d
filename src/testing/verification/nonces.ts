import { createHash } from 'node:crypto';

/** A timestamp is good for 300 s on either side, so a nonce older than both cannot come back. */
const trackedMs = 600_000;

/** Bounds the memory of a long test; the specification does not say how many are tracked. */
const maxTracked = 50_000;

/** The nonces that each credential has used, as long as a request with them could still be valid. */
export class Nonces {
  readonly #seen = new Map<string, Map<string, number>>();

  isTracked(keyId: string, nonce: string, now: number): boolean {
    const usedAt = this.#seen.get(keyId)?.get(compact(nonce));
    return usedAt !== undefined && Math.abs(now - usedAt) <= trackedMs;
  }

  remember(keyId: string, nonce: string, now: number): void {
    let seen = this.#seen.get(keyId);
    if (seen === undefined) this.#seen.set(keyId, (seen = new Map<string, number>()));
    seen.set(compact(nonce), now);
    if (seen.size <= maxTracked) return;
    for (const oldest of seen.keys()) {
      seen.delete(oldest);
      return;
    }
  }
}

function compact(nonce: string): string {
  return nonce.length <= 64 ? nonce : createHash('sha256').update(nonce).digest('base64');
}

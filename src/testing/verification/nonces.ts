/** The nonces that were used. */

/** A timestamp is valid for 300 s on either side, so an older nonce cannot come back. */
const nonceLifetimeMs = 600_000;

/** Bounds the memory of a long test; the specification does not say how many are tracked. */
const maxTracked = 50_000;

/** The nonces that each credential has used, as long as a request with them could still be valid. */
export class Nonces {
  readonly #seen = new Map<string, Map<string, number>>();

  isTracked(keyId: string, nonce: string, now: number): boolean {
    const usedAt = this.#seen.get(keyId)?.get(nonce);
    return usedAt !== undefined && Math.abs(now - usedAt) <= nonceLifetimeMs;
  }

  remember(keyId: string, nonce: string, now: number): void {
    let seen = this.#seen.get(keyId);
    if (seen === undefined) this.#seen.set(keyId, (seen = new Map<string, number>()));
    seen.set(nonce, now);
    if (seen.size <= maxTracked) return;
    for (const oldest of seen.keys()) {
      seen.delete(oldest);
      return;
    }
  }
}

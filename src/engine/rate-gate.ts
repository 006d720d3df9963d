/** A Retry-After holds every call of the client, not only the one that was told. */

export class RateGate {
  #opensAtMs = 0;

  /** Milliseconds until calls may be sent again; `0` when they may be now. */
  remainingMs(nowMs: number): number {
    return Math.max(0, this.#opensAtMs - nowMs);
  }

  /** Later answers can lengthen the hold, never shorten it. */
  holdUntil(ms: number): void {
    this.#opensAtMs = Math.max(this.#opensAtMs, ms);
  }
}

/**
 * RateLimitHold: a 429's Retry-After holds every call of a client, since the limit is the
 * credential's. The hold is bounded. After one that was cut short, one call at a time probes. The
 * first response other than a 429 ends it.
 */

export class RateLimitHold {
  #blockedUntilMs = -Infinity;
  /** The end that the service asked for: beyond the bound, calls pass one at a time. */
  #askedUntilMs = -Infinity;
  readonly #sleepers = new Set<() => void>();

  /** Milliseconds until a call may be sent; `0` when one may be now. */
  remainingMs(nowMs: number): number {
    return Math.max(0, this.#blockedUntilMs - nowMs);
  }

  /** A later response can lengthen the hold, never shorten it. */
  block(nowMs: number, retryAfterMs: number, maxHoldMs: number): void {
    const heldMs = Math.min(retryAfterMs, maxHoldMs);
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, nowMs + heldMs);
    this.#askedUntilMs = Math.max(this.#askedUntilMs, nowMs + retryAfterMs);
  }

  /**
   * An attempt starts. Beyond the bound of a longer hold it is a probe, and holds the others for as
   * long as it may take.
   *
   * @returns when the probe's hold ends, for `endProbe`; `undefined` for an ordinary attempt.
   */
  beginAttempt(nowMs: number, timeoutMs: number): number | undefined {
    if (nowMs >= this.#askedUntilMs) return undefined;
    this.#blockedUntilMs = nowMs + timeoutMs;
    return this.#blockedUntilMs;
  }

  /** A probe ended without lifting the hold: the next call may probe now. */
  endProbe(probeUntilMs: number): void {
    // Another response has lengthened the hold, or the next probe has begun: it is not ours to end.
    if (this.#blockedUntilMs !== probeUntilMs) return;
    this.#blockedUntilMs = -Infinity;
    this.#wakeAll();
  }

  /** Ends the hold: waiting calls continue. */
  lift(): void {
    this.#blockedUntilMs = -Infinity;
    this.#askedUntilMs = -Infinity;
    this.#wakeAll();
  }

  /** Runs the listener when the hold is lifted. @returns what ends the listening. */
  onLift(listener: () => void): () => void {
    this.#sleepers.add(listener);
    return () => this.#sleepers.delete(listener);
  }

  #wakeAll(): void {
    for (const wake of [...this.#sleepers]) wake();
  }
}

/**
 * Pacer: how a credential's calls return after a rate limit. While Retry-After holds them they wait; then one goes
 * first, and on its success the others follow in growing numbers, up to the rate that the service allowed before.
 */

import { backoffMs } from './backoff.js';

/** A call that waits for its turn. */
export interface Place {
  /** Orders and other writes go before reads. */
  readonly isWrite: boolean;
  /** When the call began: of two reads the earlier goes first, even if it was limited again. */
  readonly sinceMs: number;
  /** Called when the call should ask once more whether it may start. */
  wake: () => void;
}

/** What a client with other options may set otherwise. */
interface PacerOptions {
  readonly maxRateLimitHoldMs: number;
  readonly random: () => number;
}

/** After the first success 1, 2, 4, ... calls start in each of these. */
const growthMs = 250;

/** The rate that was allowed before doubles in this time, and grows by two calls in each Retry-After. */
const probingMs = 10_000;

/** From one start in each millisecond on, nothing is held back. */
const unlimitedRate = 1;

export class Pacer {
  #heldUntilMs = -Infinity;
  /** The end that the service asked for: beyond the bound of the hold, one call at a time probes. */
  #askedUntilMs = -Infinity;
  #state: 'open' | 'one_first' | 'growing' = 'open';
  /** Attempts that began after the last rate limit and run. */
  #running = 0;
  #nextStartMs = -Infinity;
  /** When the first call after the hold succeeded. */
  #growsFromMs = 0;
  /** Starts per millisecond at the last rate limit. */
  #allowedRate = Infinity;
  #retryAfterMs = 1;
  /** Rate limits so far. The response to an attempt that began before the last one is no further limit. */
  #limits = 0;
  #limitedAtMs = -Infinity;
  /** Attempts that were served since then. */
  #served = 0;
  /** Rate limits in a row between which none was served. */
  #fruitless = 0;
  readonly #waiting: Place[] = [];

  /** Whether no call has to wait. */
  get isOpen(): boolean {
    return this.#state === 'open' && this.#waiting.length === 0;
  }

  /** Milliseconds for which the service holds every call; `0` when it holds none. */
  heldMs(nowMs: number): number {
    return Math.max(0, this.#heldUntilMs - nowMs);
  }

  join(place: Place): void {
    const behind = this.#waiting.findIndex((other) => goesBefore(place, other));
    this.#waiting.splice(behind === -1 ? this.#waiting.length : behind, 0, place);
  }

  /** The call starts, or gives up. */
  leave(place: Place): void {
    const index = this.#waiting.indexOf(place);
    if (index !== -1) this.#waiting.splice(index, 1);
    this.#wakeNext();
  }

  /** When a waiting call should ask again: `0` if it may start, `Infinity` if it will be woken. */
  waitMs(place: Place, nowMs: number): number {
    if (this.#waiting[0] !== place) return Infinity;
    const pausedMs = Math.max(this.#heldUntilMs, this.#nextStartMs) - nowMs;
    if (pausedMs > 0) return pausedMs;
    return this.#state === 'one_first' && this.#running > 0 ? Infinity : 0;
  }

  /** An attempt starts. @returns what {@link end} and {@link block} need to know of it */
  begin(nowMs: number): number {
    this.#running += 1;
    if (this.#state === 'growing') this.#nextStartMs = nowMs + 1 / this.#rateAt(nowMs);
    return this.#limits;
  }

  /** Once for each attempt. @param served - whether the response was another than a rate limit */
  end(begun: number, nowMs: number, served: boolean): void {
    if (begun === this.#limits) this.#running -= 1;
    if (served) {
      this.#served += 1;
      if (begun === this.#limits && this.#state !== 'open') this.#grow(nowMs);
    }
    this.#wakeNext();
  }

  /** The service limits the rate. A later response can lengthen the hold, never shorten it. */
  block(begun: number, nowMs: number, retryAfterMs: number, options: PacerOptions): void {
    const isFurther = begun === this.#limits;
    if (isFurther) this.#slowDown(nowMs);
    // Its own for each process, which share the limit and get the same Retry-After.
    const jitterMs = isFurther ? backoffMs(this.#fruitless, options.random) : 0;
    const heldMs = Math.min(retryAfterMs, options.maxRateLimitHoldMs) + jitterMs;
    this.#heldUntilMs = Math.max(this.#heldUntilMs, nowMs + heldMs);
    this.#askedUntilMs = Math.max(this.#askedUntilMs, nowMs + retryAfterMs);
    this.#retryAfterMs = retryAfterMs;
  }

  /** Ends hold and pace: every waiting call continues. */
  lift(): void {
    this.#heldUntilMs = this.#askedUntilMs = this.#nextStartMs = -Infinity;
    this.#allowedRate = Infinity;
    this.#limits += 1;
    this.#running = 0;
    this.#state = 'open';
    this.#wakeNext();
  }

  /** One goes first again, and the rate at which the others follow is half of what the service allowed. */
  #slowDown(nowMs: number): void {
    const measured = Math.max(1, this.#served) / Math.max(1, nowMs - this.#limitedAtMs);
    this.#allowedRate =
      this.#state === 'open' ? Infinity : Math.min(this.#rateAt(nowMs), measured) / 2;
    this.#fruitless = this.#served === 0 ? this.#fruitless + 1 : 1;
    this.#limits += 1;
    this.#limitedAtMs = nowMs;
    this.#served = this.#running = 0;
    this.#state = 'one_first';
  }

  #grow(nowMs: number): void {
    const wasLong = this.#retryAfterMs > probingMs && nowMs >= this.#askedUntilMs;
    this.#heldUntilMs = this.#askedUntilMs = -Infinity;
    if (this.#state === 'one_first') {
      // Nothing was measured before a first limit. After a long one a fleet must not return as a wave, of which the
      // first process takes all that the service serves: what waits is spread over as long again.
      if (this.#allowedRate === Infinity && wasLong) {
        const rate = (this.#waiting.length + 1) / this.#retryAfterMs;
        this.#allowedRate = rate / 2 ** this.#roundsAt(nowMs);
      }
      this.#state = 'growing';
      this.#growsFromMs = nowMs;
      this.#nextStartMs = nowMs;
    } else if (this.#rateAt(nowMs) >= unlimitedRate) {
      this.#state = 'open';
      this.#nextStartMs = -Infinity;
    }
  }

  /** Starts per millisecond. */
  #rateAt(nowMs: number): number {
    const growing = 2 ** ((nowMs - this.#growsFromMs) / growthMs) / growthMs;
    const rounds = this.#roundsAt(nowMs);
    return Math.min(growing, this.#allowedRate * 2 ** rounds + (2 * rounds) / this.#retryAfterMs);
  }

  /** How often the rate that was allowed has doubled since the limit. */
  #roundsAt(nowMs: number): number {
    return (nowMs - this.#limitedAtMs) / probingMs;
  }

  #wakeNext(): void {
    this.#waiting[0]?.wake();
  }
}

function goesBefore(one: Place, other: Place): boolean {
  return one.isWrite === other.isWrite ? one.sinceMs < other.sinceMs : one.isWrite;
}

/** `Deliveries`: which events a webhook announced, and which none did. */

import { RecentEvents } from '../../webhooks/handler/deduplication/recent-events.js';
import type { Time } from '../engine/time.js';

/** How long a webhook may take after its event was found by a poll. */
const graceMs = 60_000;
const maxUnannounced = 10_000;

export class Deliveries {
  readonly #clock: Time['clock'];
  readonly #announced = new RecentEvents();
  /** Events that a poll found, and when; in that order. */
  readonly #unannounced = new Map<string, number>();
  #missed = 0;

  constructor(clock: Time['clock']) {
    this.#clock = clock;
  }

  has(id: string): boolean {
    return this.#announced.has(id);
  }

  arrived(id: string): void {
    this.#announced.add(id);
    this.#unannounced.delete(id);
  }

  /** New events of a poll: those that no webhook announces in time are missed. */
  found(ids: readonly string[]): void {
    const now = this.#clock();
    for (const id of ids) if (!this.has(id)) this.#unannounced.set(id, now);
  }

  /** Events that no webhook came for. */
  get missed(): number {
    const before = this.#clock() - graceMs;
    for (const [id, foundAt] of this.#unannounced) {
      if (foundAt > before && this.#unannounced.size <= maxUnannounced) break;
      this.#unannounced.delete(id);
      this.#missed += 1;
    }
    return this.#missed;
  }
}

/** `LateDeliveries`: verified deliveries of events that the history does not show yet. */

import type { MarketEvent } from '../../webhooks/events.js';
import { parseServiceTime } from '../../core/service-time.js';
import type { Time } from '../../core/time/sleep.js';

interface Waiting {
  readonly event: MarketEvent;
  readonly since: number;
}

const maxWaiting = 1_000;

export class LateDeliveries {
  readonly #graceMs: number;
  readonly #clock: Time['clock'];
  readonly #waiting = new Map<string, Waiting>();

  /** @param graceMs - how long the history may take to show an event. */
  constructor(graceMs: number, clock: Time['clock']) {
    this.#graceMs = graceMs;
    this.#clock = clock;
  }

  /** Whether the history had enough time to show this event. If not, the event waits here. */
  isDue(event: MarketEvent): boolean {
    const { since } = this.#waiting.get(event.id) ?? this.#add(event);
    return this.#isOver(since);
  }

  /** The events whose time has passed. */
  due(): MarketEvent[] {
    return [...this.#waiting.values()]
      .filter(({ since }) => this.#isOver(since))
      .map(({ event }) => event);
  }

  delete(id: string): void {
    this.#waiting.delete(id);
  }

  #isOver(since: number): boolean {
    return this.#clock() - since >= this.#graceMs;
  }

  /** The event's own time counts if it is earlier, so that a restart does not begin another grace period. */
  #add(event: MarketEvent): Waiting {
    const now = this.#clock();
    const createdAt = parseServiceTime(event.created_at);
    const waiting = { event, since: createdAt < now ? createdAt : now };
    this.#waiting.set(event.id, waiting);
    const [oldest = event.id] = this.#waiting.keys();
    // The service delivers it again, and nothing is lost if it does not come back in time.
    if (this.#waiting.size > maxWaiting) this.#waiting.delete(oldest);
    return waiting;
  }
}

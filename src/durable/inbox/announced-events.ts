/** `AnnouncedEvents`: which events were announced by a webhook, and which were not. */

import { RecentEvents } from '../../webhooks/handler/deduplication/recent-events.js';
import type { TraceContext } from '../tracing.js';
import type { Time } from '../../core/time/sleep.js';

/** How long a webhook may take after a poll has found its event. */
const graceMs = 60_000;
const maxUnannounced = 10_000;
/** Trace contexts of deliveries whose events were not handled yet. */
const maxCarriers = 1_000;

export class AnnouncedEvents {
  readonly #clock: Time['clock'];
  readonly #announced = new RecentEvents();
  /** Events that a poll found, and when; in that order. */
  readonly #unannounced = new Map<string, number>();
  readonly #traceContexts = new Map<string, TraceContext>();
  #missed = 0;

  constructor(clock: Time['clock']) {
    this.#clock = clock;
  }

  has(id: string): boolean {
    return this.#announced.has(id);
  }

  /** @param traceContext - the trace of the delivery, if the inbox is traced. */
  recordDelivery(id: string, traceContext: TraceContext | undefined): void {
    this.#announced.add(id);
    this.#unannounced.delete(id);
    if (traceContext === undefined) return;
    this.#traceContexts.set(id, traceContext);
    const [oldest = id] = this.#traceContexts.keys();
    if (this.#traceContexts.size > maxCarriers) this.#traceContexts.delete(oldest);
  }

  traceContextOf(id: string): TraceContext | undefined {
    return this.#traceContexts.get(id);
  }

  /** Records new events of a poll. Those that no webhook announces in time count as missed. */
  recordPolled(ids: readonly string[]): void {
    const now = this.#clock();
    for (const id of ids) if (!this.has(id)) this.#unannounced.set(id, now);
    // A first poll may read a history of years before it ends.
    this.sweepMissed(now);
  }

  /** Moves the events whose webhook is overdue to the missed ones. @returns How many those are. */
  sweepMissed(now: number): number {
    const before = now - graceMs;
    for (const [id, foundAt] of this.#unannounced) {
      if (foundAt > before && this.#unannounced.size <= maxUnannounced) break;
      this.#unannounced.delete(id);
      this.#missed += 1;
    }
    return this.#missed;
  }
}

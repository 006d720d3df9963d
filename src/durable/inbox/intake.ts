/** `Intake`: brings events into a store, from the history and from deliveries. */

import type { MarketEvent } from '../../webhooks/events.js';
import { onAbort } from '../../core/time/signals.js';
import { pause, type Wake } from '../../core/time/sleep.js';
import type { HistoryGapError } from '../errors.js';
import type { HistoryReader } from '../history/history-reader.js';
import type { TraceContext } from '../tracing.js';
import { LateDeliveries } from './late-deliveries.js';
import { Polling, type IntakeSettings } from './polling.js';

/** How the polls and deliveries of this process are doing. */
export interface IntakeStatus {
  /** When a poll last read to the end of the history. */
  readonly lastPollAt: string | null;
  /** Why the last poll failed; `null` after one that succeeded. */
  readonly lastPollError: string | null;
  readonly lastWebhookAt: string | null;
  /**
   * New events of this process's polls for which no webhook reached this process. With one process
   * the registration or the endpoint is broken; with several, another may have got the webhook.
   */
  readonly missedWebhooks: number;
  /**
   * Events that the history showed later than younger ones, and deliveries that were stored because
   * the history did not show their events in time.
   */
  readonly late: number;
  /** Deliveries of events that were stored already. */
  readonly duplicates: number;
  /** The last gap that this process found in the history; `null` if it found none. */
  readonly gap: HistoryGapError | null;
}

/** The service waits 5 s for a response (specification, part 8); a history that lags gets this much of it. */
const visibilityMs = 2_500;
const visibilityStepMs = 250;

export class Intake {
  readonly polling: Polling;
  readonly #settings: IntakeSettings;
  readonly #reader: HistoryReader;
  readonly #late: LateDeliveries;
  #lastWebhookAt = 0;
  #lateCount = 0;
  #duplicates = 0;

  constructor(settings: IntakeSettings) {
    const { poll, time } = settings;
    this.#settings = settings;
    this.polling = new Polling(settings, () => this.#storeWaiting());
    this.#reader = this.polling.reader;
    this.#late = new LateDeliveries(Math.max(poll.overlapMs, visibilityMs), time.clock);
  }

  get status(): IntakeStatus {
    const { announced, time } = this.#settings;
    const { lastPollAt, lastPollError, late, gap } = this.polling.status;
    return {
      lastPollAt: toIso(lastPollAt),
      lastPollError,
      lastWebhookAt: toIso(this.#lastWebhookAt),
      missedWebhooks: announced.sweepMissed(time.clock()),
      late: late + this.#lateCount,
      duplicates: this.#duplicates,
      gap,
    };
  }

  /** Whether a delivery is for the partner whose history this is, as far as that is known. */
  async isOwnPartner({ id, partner_id: found }: MarketEvent): Promise<boolean> {
    if (typeof found !== 'string' || found === '') return true;
    const own = await this.#reader.partnerId();
    // The history is read with our own credential, so what it shows outweighs what was stored.
    return own === undefined || own === found || this.#reader.hasRead(id);
  }

  recordDelivery({ id }: MarketEvent, traceContext: TraceContext | undefined): void {
    this.#lastWebhookAt = this.#settings.time.clock();
    this.#settings.announced.recordDelivery(id, traceContext);
  }

  /**
   * Resolves with whether a delivered event is stored. It waits a moment for a history that lags.
   * An event that the history still does not show after `overlapMs` is stored as it was delivered.
   */
  async takeIn(event: MarketEvent, signal: AbortSignal): Promise<boolean> {
    const { sink, time } = this.#settings;
    if (await sink.has(event)) {
      this.#duplicates += 1;
      this.#confirmPartner(event);
      return true;
    }
    for (let waitedMs = 0; ; waitedMs += visibilityStepMs) {
      const poll = waitedMs === 0 ? this.polling.pollFromCursor() : this.polling.pollFor(event);
      if (await this.#isTakenBy(poll, event, signal)) return true;
      // An event that has waited long enough gains nothing from another moment.
      if (this.#late.isDue(event)) return this.#storeLate(event);
      if (waitedMs >= visibilityMs || signal.aborted) return false;
      await time.sleep(visibilityStepMs, signal);
    }
  }

  /** Another process may store the event while our poll is slow or refused, so the store is asked meanwhile. */
  async #isTakenBy(
    poll: Promise<unknown>,
    event: MarketEvent,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { sleep } = this.#settings.time;
    const ended = Promise.allSettled([poll]);
    const wake: Wake = (listener) => {
      void ended.then(listener);
      return onAbort(signal, listener);
    };
    // Ever more rarely: in an outage many deliveries wait, and the store must not suffer too.
    for (
      let askInMs = visibilityStepMs;
      !(await pause(askInMs, [], { sleep, wake }));
      askInMs *= 2
    ) {
      // The poll may still succeed where this read of the store fails.
      if (await this.#isTaken(event).catch(() => false)) return true;
    }
    const [{ reason }] = (await ended) as [{ reason?: unknown }];
    if (await this.#isTaken(event)) return true;
    if (reason !== undefined) throw reason as Error;
    return false;
  }

  async #isTaken(event: MarketEvent): Promise<boolean> {
    const isStored = this.#reader.hasRead(event.id) || (await this.#settings.sink.has(event));
    if (isStored) this.#confirmPartner(event);
    const isTaken = isStored || this.#reader.wasSkipped(event);
    if (isTaken) this.#late.delete(event.id);
    return isTaken;
  }

  /** A delivery by itself proves nothing, as a secret may be shared. An event that we read does. */
  #confirmPartner({ id, partner_id: found }: MarketEvent): void {
    if (typeof found !== 'string' || found === '' || !this.#reader.hasRead(id)) return;
    this.#reader.confirmPartner(found);
  }

  /** A delivery may not come again, so those that wait are also checked after each poll. */
  async #storeWaiting(): Promise<void> {
    for (const event of this.#late.due()) {
      if (!(await this.#isTaken(event))) await this.#storeLate(event);
    }
  }

  async #storeLate(event: MarketEvent): Promise<boolean> {
    const { sink, logger } = this.#settings;
    const { id, type, created_at, partner_id: partnerId } = event;
    // Nothing but its delivery says that it is ours, so its partner must be certain.
    const isOurs = !partnerId || partnerId === (await this.#reader.partnerId());
    if (!isOurs) return false;
    const added = await sink.store([event], undefined);
    this.#late.delete(id);
    this.#lateCount += added.length;
    logger.warn('The history does not show a delivered event; it was stored as delivered.', {
      id,
      type,
      created_at,
    });
    return true;
  }
}

function toIso(ms: number): string | null {
  return ms === 0 ? null : new Date(ms).toISOString();
}

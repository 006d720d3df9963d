/** `WaitingEvents`: events that came before the result of their sale was reported. They wait for it. */

import { backoffMs } from '../backoff.js';
import type { MarketEvent } from '../../webhooks/events.js';
import { summarizeError } from '../callbacks.js';
import type { ClaimedJob, JobResult } from '../queue/job.js';
import { startAge } from '../../core/time/sleep.js';
import type { InboxSettings } from './inbox-options.js';
import { orderOf } from './ordering-key.js';

/** A sale is reported within moments; one that is not is asked about twice a minute. */
const backoff = { baseMs: 500, maxMs: 30_000 };

/** An outbox asks for manual review after a day. The reviewer has one more. */
const longestMs = 2 * 86_400_000;

/** After this time another process has the event. */
const forgottenAfterMs = 60_000;

export class WaitingEvents<Tx> {
  readonly #settings: InboxSettings<Tx>;
  readonly #isStopping: () => boolean;
  /** For how long the outbox has answered: no event is given up for what it could not be asked about. */
  #answerAge: (() => number) | undefined;
  /** When each event is looked at again. */
  readonly #dueAt = new Map<string, number>();

  constructor(settings: InboxSettings<Tx>, isStopping: () => boolean) {
    this.#settings = settings;
    this.#isStopping = isStopping;
  }

  /** How many events of this process wait. */
  get size(): number {
    const now = this.#settings.time.clock();
    for (const [id, dueAt] of this.#dueAt) {
      if (now > dueAt + forgottenAfterMs) this.#dueAt.delete(id);
    }
    return this.#dueAt.size;
  }

  /** How the attempt ends, if the event must wait; `undefined` if its listener may run. */
  async hold(job: ClaimedJob<Tx>, event: MarketEvent): Promise<JobResult | undefined> {
    const { outbox, time, random } = this.#settings;
    const { public_id, domain } = orderOf(event);
    if (outbox === undefined || public_id === undefined) return undefined;
    // A program stops its outbox next, which a question would open again.
    if (this.#isStopping()) return { retryInMs: 0, countsAttempt: false };
    let error: string | undefined;
    try {
      const mustWait = await outbox.hasUnreportedSale({ public_id, domain });
      this.#answerAge ??= startAge(time);
      if (!mustWait) {
        this.#dueAt.delete(job.id);
        return undefined;
      }
    } catch (thrown) {
      this.#answerAge = undefined;
      error = `The outbox could not be asked about the sale: ${summarizeError(thrown)}`;
    }
    const now = time.clock();
    const heldMs = Math.min(now - job.enqueuedAt.getTime(), this.#answerAge?.() ?? 0);
    if (heldMs >= longestMs) {
      this.#dueAt.delete(job.id);
      return { deadLetter: overdue(public_id) };
    }
    const retryInMs = backoffMs(job.claims, backoff, random);
    this.#dueAt.set(job.id, now + retryInMs);
    return { retryInMs, error, countsAttempt: false };
  }
}

function overdue(order: string): string {
  return (
    `The sale of the order ${order} has no reported result after two days, so its listener did not run. ` +
    'End the sale first, which outbox.list({ state: "attention" }) shows. Then retry this event.'
  );
}

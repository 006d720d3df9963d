/** Signs events, delivers them in order and retries failed deliveries. */

import { createHmac } from 'node:crypto';
import { BoundedLog } from '../bounded-log.js';
import type { Environment } from '../credentials.js';
import type { EmulatorClock } from '../clock.js';
import type { Account } from '../market/account.js';
import type { EmulatorEvent } from '../market/events.js';
import type { StoredWebhook } from '../market/records.js';
import type { DeliveryFaults } from '../faults/delivery-faults.js';
import { isLoopback } from '../http/loopback.js';
import type { Settings } from '../options.js';
import type { DeliveryAttempt } from './delivery-attempt.js';
import { DueQueue } from './due-queue.js';
import { postWebhook, type WebhookPostResult } from './post-webhook.js';

/** Longest real timer: the emulator's clock need not run with real time. */
const longestTimerMs = 60_000;

const maxLogBytes = 16 * 1_048_576;

interface DeliveryJob {
  readonly account: Account;
  readonly event: EmulatorEvent;
  readonly attempt: number;
  readonly generation: number;
}

type SignedDelivery = Omit<DeliveryAttempt, 'status' | 'error' | 'responseBody' | 'outcome'>;

/** A delivery that is due later, or that is under way. */
export interface ScheduledDelivery {
  readonly eventId: string;
  readonly type: string;
  readonly partnerId: string;
  readonly environment: Environment;
  /** The number of its next attempt; 1 for the first. */
  readonly attempt: number;
  /** When it is due, in Unix milliseconds of the service's clock. */
  readonly due: number;
}

interface DeliverySettings {
  readonly clock: EmulatorClock;
  /** The event in the form that the service delivers. */
  readonly render: (event: Readonly<EmulatorEvent>) => object;
  readonly faults: DeliveryFaults;
  readonly retriesMs: readonly number[];
  readonly timeoutMs: number;
  readonly logSize: number;
  readonly deliverTo: Settings['deliverTo'];
  readonly onAttempt: (attempt: DeliveryAttempt) => void;
  readonly stopping: AbortSignal;
}

/** Delivers events to the registered endpoints, at least once (specification, part 6). */
export class DeliveryQueue {
  readonly log: BoundedLog<DeliveryAttempt>;
  readonly #settings: DeliverySettings;
  readonly #clock: EmulatorClock;
  /** The end of each account's line: first attempts keep the order of the events. */
  readonly #chains = new Map<Account, Promise<void>>();
  readonly #scheduled = new DueQueue<DeliveryJob>();
  /** Events that wait for the next one of their account. */
  readonly #reordered = new Map<Account, DeliveryJob[]>();
  readonly #queued = new Set<DeliveryJob>();
  /** Incremented by each reset: earlier attempts neither count nor repeat. */
  #generation = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: DeliverySettings) {
    this.log = new BoundedLog(settings.logSize, maxLogBytes, ({ body }) => body.length);
    this.#settings = settings;
    this.#clock = settings.clock;
  }

  /** Delivers a new event. Without a registered endpoint it is only in the history. */
  dispatch(account: Account, event: EmulatorEvent): void {
    const { webhook } = account;
    if (webhook === undefined) return;
    const job: DeliveryJob = { account, event, attempt: 1, generation: this.#generation };
    const fault = this.#settings.faults.consume(event.type);
    switch (fault?.kind) {
      case 'lost':
        this.#record(this.#sign(job, webhook), { error: 'lost by a fault' }, 'lost');
        return;
      case 'late':
        this.#schedule(this.#clock.now() + fault.lateMs, job);
        return;
      case 'outOfOrder':
        this.#reorder(job);
        return;
      case 'twice':
        this.#enqueue(job);
    }
    this.#enqueue(job);
    this.#releaseReordered(account);
  }

  /** Delivers an event once more, with a new first attempt and without faults. */
  redeliver(account: Account, event: EmulatorEvent): void {
    this.#enqueue({ account, event, attempt: 1, generation: this.#generation });
  }

  /** The deliveries that are under way or due later, the next first. */
  pending(): ScheduledDelivery[] {
    const now = this.#clock.now();
    const waiting = [...this.#queued, ...[...this.#reordered.values()].flat()];
    return [...waiting.map((item) => ({ due: now, item })), ...this.#scheduled.entries()]
      .sort((a, b) => a.due - b.due)
      .map(({ due, item: { account, event, attempt } }) => ({
        eventId: event.id,
        type: event.type,
        partnerId: account.partnerId,
        environment: account.environment,
        attempt,
        due,
      }));
  }

  /** Drops every delivery, and schedules those of a snapshot. */
  reset(
    deliveries: readonly (Omit<DeliveryJob, 'generation'> & { readonly due: number })[] = [],
  ): void {
    this.#generation += 1;
    this.#queued.clear();
    this.#reordered.clear();
    this.#scheduled.clear();
    for (const { due, ...job } of deliveries) {
      this.#scheduled.add(due, { ...job, generation: this.#generation });
    }
    this.#setTimer();
  }

  /** Sends what is due; called when the clock jumps. */
  deliverDue(): void {
    for (const account of [...this.#reordered.keys()]) this.#releaseReordered(account);
    for (const job of this.#scheduled.takeDue(this.#clock.now())) this.#enqueue(job);
    this.#setTimer();
  }

  /** Resolves when every running and queued attempt has ended. */
  async idle(): Promise<void> {
    while (this.#chains.size > 0) await Promise.all(this.#chains.values());
  }

  async stop(): Promise<void> {
    this.#reordered.clear();
    await this.idle();
    // Last: an attempt that was cancelled has scheduled its own retry.
    this.#scheduled.clear();
    this.#setTimer();
  }

  #reorder(job: DeliveryJob): void {
    const jobs = this.#reordered.get(job.account);
    if (jobs === undefined) this.#reordered.set(job.account, [job]);
    else jobs.push(job);
  }

  #releaseReordered(account: Account): void {
    const jobs = this.#reordered.get(account) ?? [];
    this.#reordered.delete(account);
    for (const job of jobs) this.#enqueue(job);
  }

  #enqueue(job: DeliveryJob): void {
    const { account } = job;
    this.#queued.add(job);
    const line = (this.#chains.get(account) ?? Promise.resolve())
      .then(() => this.#attempt(job))
      .then(() => {
        this.#queued.delete(job);
        if (this.#chains.get(account) === line) this.#chains.delete(account);
      });
    this.#chains.set(account, line);
  }

  async #attempt(job: DeliveryJob): Promise<void> {
    const { webhook } = job.account;
    const { stopping, deliverTo, timeoutMs, retriesMs } = this.#settings;
    if (stopping.aborted || webhook === undefined || this.#isStale(job)) return;
    const delivery = this.#sign(job, webhook);
    const { url, body, signature } = delivery;
    if (deliverTo === 'loopback' && !isLoopback(new URL(url).hostname)) {
      const error = 'not sent: not on loopback, and deliverTo is not "anywhere"';
      this.#record(delivery, { error }, 'failed');
      return;
    }
    const headers = { 'content-type': 'application/json', 'x-market-signature': signature };
    const result = await postWebhook(url, body, headers, timeoutMs, stopping);
    if (this.#isStale(job)) return;
    // A listener of the result may take a snapshot, in which only the retry may be pending.
    this.#queued.delete(job);
    const isDelivered = result.status === 200 && result.error === undefined;
    this.#record(delivery, result, isDelivered ? 'delivered' : 'failed');
    const retryMs = retriesMs[job.attempt - 1];
    if (isDelivered || retryMs === undefined) return;
    this.#schedule(this.#clock.now() + retryMs, { ...job, attempt: job.attempt + 1 });
  }

  /** The documented fields in the documented order (specification, parts 2 and 6), in the form of the profile. */
  bodyOf({ id, type, created_at, partner_id, data }: EmulatorEvent): string {
    return JSON.stringify(this.#settings.render({ id, type, created_at, partner_id, data }));
  }

  /** What is sent now, and to where. */
  #sign({ event, attempt }: DeliveryJob, { url, secret }: StoredWebhook): SignedDelivery {
    const body = this.bodyOf(event);
    const signature = signBody(body, secret);
    const { id: eventId, type } = event;
    return { eventId, type, url, attempt, at: this.#clock.now(), body, signature };
  }

  #record(
    delivery: SignedDelivery,
    { status, error, body: responseBody }: Partial<WebhookPostResult>,
    outcome: DeliveryAttempt['outcome'],
  ): void {
    // A response that is too long has a status too, which does not count.
    const counted = error === undefined ? status : undefined;
    const entry = { ...delivery, status: counted, error, responseBody, outcome };
    this.log.add(entry);
    this.#settings.onAttempt(entry);
  }

  #isStale({ generation }: DeliveryJob): boolean {
    return generation !== this.#generation;
  }

  #schedule(due: number, job: DeliveryJob): void {
    const previous = this.#scheduled.nextDue;
    this.#scheduled.add(due, job);
    if (this.#scheduled.nextDue !== previous) this.#setTimer();
  }

  /** Wakes the queue when the clock runs by itself. Never keeps the process alive. */
  #setTimer(): void {
    clearTimeout(this.#timer);
    const next = this.#scheduled.nextDue;
    if (next === undefined) return;
    const wait = Math.min(Math.max(next - this.#clock.now(), 0), longestTimerMs);
    this.#timer = setTimeout(() => this.deliverDue(), wait);
    this.#timer.unref();
  }
}

/** Lowercase hex over the raw bytes; the prefix v1= is not used here (specification, part 6). */
function signBody(body: string, secret: string): string {
  return createHmac('sha256', secret).update(body, 'utf8').digest('hex');
}

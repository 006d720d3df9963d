import { createHmac } from 'node:crypto';
import { BoundedLog } from '../bounded-log.js';
import type { EmulatorClock } from '../clock.js';
import type { Account } from '../market/account.js';
import type { EmulatorEvent } from '../market/events.js';
import type { DeliveryFaults } from './delivery-faults.js';
import { post } from './post.js';

/** A real timer is set again at least this often, for a clock that does not run with real time. */
const longestTimerMs = 60_000;

const maxLogBytes = 16 * 1_048_576;

/** One attempt to deliver an event. */
export interface DeliveryAttempt {
  /** The event's `id`: the same in every attempt. */
  readonly eventId: string;
  /** The event's type, for example `'order.recorded'`. */
  readonly type: string;
  /** The registered address that it was sent to. */
  readonly url: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** The service's clock, in Unix milliseconds. */
  readonly at: number;
  /** The exact bytes that were signed and sent, as text. */
  readonly body: string;
  /** The X-Market-Signature header. */
  readonly signature: string;
  /** What the receiver answered; `undefined` where no answer came. */
  readonly status: number | undefined;
  /** Why there is no status. */
  readonly error: string | undefined;
  /**
   * `'delivered'` for a 200 within the time limit, `'failed'` for anything else. `'lost'` is the
   * fault of that name: nothing was sent.
   */
  readonly outcome: 'delivered' | 'failed' | 'lost';
}

interface Job {
  readonly account: Account;
  readonly event: EmulatorEvent;
  readonly attempt: number;
}

/** Delivers events to the registered endpoints, at least once (specification, part 6). */
export class Courier {
  readonly log: BoundedLog<DeliveryAttempt>;
  readonly #clock: EmulatorClock;
  readonly #faults: DeliveryFaults;
  readonly #retriesMs: readonly number[];
  readonly #timeoutMs: number;
  readonly #stopping: AbortSignal;
  /** The end of each account's line: first attempts keep the order of the events. */
  readonly #lines = new Map<Account, Promise<void>>();
  #waiting: { readonly due: number; readonly job: Job }[] = [];
  #heldBack: Job[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: {
    readonly clock: EmulatorClock;
    readonly faults: DeliveryFaults;
    readonly retriesMs: readonly number[];
    readonly timeoutMs: number;
    readonly logSize: number;
    readonly stopping: AbortSignal;
  }) {
    this.log = new BoundedLog(settings.logSize, maxLogBytes, ({ body }) => body.length);
    this.#clock = settings.clock;
    this.#faults = settings.faults;
    this.#retriesMs = settings.retriesMs;
    this.#timeoutMs = settings.timeoutMs;
    this.#stopping = settings.stopping;
  }

  /** An event has happened. Without a registered endpoint it is in the history alone. */
  dispatch(account: Account, event: EmulatorEvent): void {
    if (account.webhook === undefined) return;
    const job: Job = { account, event, attempt: 1 };
    const fault = this.#faults.take(event.type);
    switch (fault?.kind) {
      case 'lost':
        this.#record(job, { status: undefined, error: 'lost by a fault' }, 'lost');
        return;
      case 'late':
        this.#wait(this.#clock.now() + fault.lateMs, job);
        return;
      case 'outOfOrder':
        this.#heldBack.push(job);
        return;
      case 'twice':
        this.#enqueue(job);
    }
    this.#enqueue(job);
    this.#releaseHeldBack(account);
  }

  /** The clock has moved: what has become due goes out. */
  run(): void {
    for (const { account } of [...this.#heldBack]) this.#releaseHeldBack(account);
    const now = this.#clock.now();
    const due = this.#waiting.filter((each) => each.due <= now);
    this.#waiting = this.#waiting.filter((each) => each.due > now);
    for (const { job } of due.sort((a, b) => a.due - b.due)) this.#enqueue(job);
    this.#setTimer();
  }

  /** Resolves when every attempt that has begun, or waits in line, has its answer. */
  async idle(): Promise<void> {
    while (this.#lines.size > 0) await Promise.all(this.#lines.values());
  }

  async stop(): Promise<void> {
    this.#heldBack = [];
    await this.idle();
    // Last: an attempt that was cut off has put its own repeat in line.
    this.#waiting = [];
    this.#setTimer();
  }

  #releaseHeldBack(account: Account): void {
    const own = this.#heldBack.filter((job) => job.account === account);
    this.#heldBack = this.#heldBack.filter((job) => job.account !== account);
    for (const job of own) this.#enqueue(job);
  }

  #enqueue(job: Job): void {
    const { account } = job;
    const line = (this.#lines.get(account) ?? Promise.resolve())
      .then(() => this.#attempt(job))
      .then(() => {
        if (this.#lines.get(account) === line) this.#lines.delete(account);
      });
    this.#lines.set(account, line);
  }

  async #attempt(job: Job): Promise<void> {
    const { webhook } = job.account;
    if (this.#stopping.aborted || webhook === undefined) return;
    const at = this.#clock.now();
    const body = bodyOf(job.event);
    const signature = signatureOf(body, webhook.secret);
    const result = await post(
      webhook.url,
      body,
      { 'content-type': 'application/json', 'x-market-signature': signature },
      this.#timeoutMs,
      this.#stopping,
    );
    const isDelivered = result.status === 200;
    this.#record(job, result, isDelivered ? 'delivered' : 'failed', { at, ...webhook });
    const retryMs = this.#retriesMs[job.attempt - 1];
    if (isDelivered || retryMs === undefined) return;
    this.#wait(this.#clock.now() + retryMs, { ...job, attempt: job.attempt + 1 });
  }

  #record(
    { account, event, attempt }: Job,
    { status, error }: { status: number | undefined; error: string | undefined },
    outcome: DeliveryAttempt['outcome'],
    sent?: { readonly at: number; readonly url: string; readonly secret: string },
  ): void {
    const url = sent?.url ?? account.webhook?.url ?? '';
    const secret = sent?.secret ?? account.webhook?.secret ?? '';
    const body = bodyOf(event);
    this.log.add({
      eventId: event.id,
      type: event.type,
      url,
      attempt,
      at: sent?.at ?? this.#clock.now(),
      body,
      signature: signatureOf(body, secret),
      status,
      error,
      outcome,
    });
  }

  #wait(due: number, job: Job): void {
    this.#waiting.push({ due, job });
    this.#setTimer();
  }

  /** For a clock that runs by itself. It never keeps the process alive. */
  #setTimer(): void {
    clearTimeout(this.#timer);
    const next = Math.min(...this.#waiting.map(({ due }) => due));
    if (next === Infinity) return;
    const wait = Math.min(Math.max(next - this.#clock.now(), 0), longestTimerMs);
    this.#timer = setTimeout(() => this.run(), wait);
    this.#timer.unref();
  }
}

/** The documented fields in the documented order (specification, parts 2 and 6). */
function bodyOf({ id, type, created_at, partner_id, data }: EmulatorEvent): string {
  return JSON.stringify({ id, type, created_at, partner_id, data });
}

/** Lowercase hex over the raw bytes; the prefix v1= is not used here (specification, part 6). */
function signatureOf(body: string, secret: string): string {
  return createHmac('sha256', secret).update(body, 'utf8').digest('hex');
}

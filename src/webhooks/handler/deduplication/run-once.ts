/** RunOnce: runs the listener of an event once, however often the event is delivered. */

import type { MarketEvent } from '../../events.js';
import type { DeliveryStep, ProcessContext } from '../delivery-config.js';
import type { ErrorReporter } from '../error-reporter.js';
import type { WebhookStatus } from '../response.js';
import type { ClaimResult, DeduplicationStore } from './store.js';

const steps = {
  claim: storeStep('has() or claim()', 503),
  listen: { waitsFor: 'The listener', statusAtTimeout: 503 },
  // The listener has resolved: with 503 the service would deliver the event and run it again.
  add: storeStep('add()', 200),
  release: storeStep('release()', 500),
} satisfies Record<string, DeliveryStep>;

/** How many events that failed have their attempts counted. */
const maxCountedEvents = 10_000;

/** Calls the listener of the event with the number of the attempt. */
export type RunListener = (attempt: number) => unknown;

/** What all runs of a handler share. */
export interface RunOnceOptions {
  readonly store: DeduplicationStore;
  readonly report: ErrorReporter;
}

/**
 * Copies of an event that arrive during its run share the result; copies that arrive later are
 * answered 200. An event is done only when its listener has resolved.
 */
export class RunOnce {
  readonly #options: RunOnceOptions;
  /** In the order of their start, so that those that have expired come first. */
  readonly #runs = new Map<string, Run>();
  readonly #failedAttempts = new Map<string, number>();

  constructor(options: RunOnceOptions) {
    this.#options = options;
  }

  /** Resolves with the status of the delivery. Reports what fails; never rejects. */
  process(
    event: MarketEvent,
    context: ProcessContext,
    runListener: RunListener,
  ): Promise<WebhookStatus> {
    this.#forgetExpired();
    const shared = this.#runs.get(event.id);
    const joined = shared?.join(context);
    if (joined !== undefined) return joined;

    const attempt = this.#countedAttempts(event.id) + 1;
    const run = new Run(event, context, attempt, this.#options, this.#forget);
    this.#runs.set(event.id, run);
    return run.start(runListener);
  }

  readonly #forget = (run: Run, status: WebhookStatus): void => {
    if (this.#runs.get(run.event.id) === run) this.#runs.delete(run.event.id);
    this.#countAttempt(run, status);
  };

  /** A run whose delivery was answered 503 may hang for ever: the next delivery must not join it. */
  #forgetExpired(): void {
    if (this.#runs.size === 0) return;
    const nowMs = performance.now();
    for (const run of this.#runs.values()) {
      if (run.dueMs > nowMs) return;
      this.#forget(run, 503);
    }
  }

  #countedAttempts(eventId: string): number {
    return this.#failedAttempts.get(eventId) ?? 0;
  }

  #countAttempt({ event, attempt, hasStarted }: Run, status: WebhookStatus): void {
    const counts = this.#failedAttempts;
    if (status === 200) {
      if (counts.size > 0) counts.delete(event.id);
      return;
    }
    if (!hasStarted) return;
    counts.set(event.id, Math.max(attempt, this.#countedAttempts(event.id)));
    if (counts.size <= maxCountedEvents) return;
    for (const oldest of counts.keys()) {
      counts.delete(oldest);
      return;
    }
  }
}

/** One run of a listener, for the delivery that started it and for its copies. */
class Run {
  readonly event: MarketEvent;
  readonly attempt: number;
  /** When the delivery that started it is answered. */
  readonly dueMs: number;
  /** Whether its listener was called. */
  hasStarted = false;
  readonly #store: DeduplicationStore;
  readonly #report: ErrorReporter;
  readonly #deliveries: ProcessContext[];
  readonly #onEnd: (run: Run, status: WebhookStatus) => void;
  #step: DeliveryStep = steps.claim;
  #result: Promise<WebhookStatus> | undefined;

  constructor(
    event: MarketEvent,
    context: ProcessContext,
    attempt: number,
    { store, report }: RunOnceOptions,
    onEnd: (run: Run, status: WebhookStatus) => void,
  ) {
    this.event = event;
    this.attempt = attempt;
    this.dueMs = context.dueMs;
    this.#store = store;
    this.#report = report;
    this.#deliveries = [context];
    this.#onEnd = onEnd;
  }

  start(runListener: RunListener): Promise<WebhookStatus> {
    return (this.#result = this.#run(runListener));
  }

  join(context: ProcessContext): Promise<WebhookStatus> | undefined {
    this.#deliveries.push(context);
    context.step = this.#step;
    return this.#result;
  }

  async #run(runListener: RunListener): Promise<WebhookStatus> {
    const { event } = this;
    this.#enter(steps.claim);
    try {
      const result = this.#claim();
      // Waiting for what is no promise costs a turn: RecentEvents returns at once.
      const claimed = typeof result === 'string' ? result : await result;
      if (claimed !== 'claimed') return this.#end(claimed === 'done' ? 200 : 503);
    } catch (error) {
      this.#report(error, { status: 500, event });
      return this.#end(500);
    }
    // Already answered 503, so the service will redeliver: do not run the listener now.
    if (performance.now() >= this.dueMs) return this.#end(503);

    this.#enter(steps.listen);
    this.hasStarted = true;
    try {
      await runListener(this.attempt);
    } catch (error) {
      this.#report(error, { status: 500, event });
      await this.#release();
      return this.#end(500);
    }
    this.#enter(steps.add);
    try {
      const added = this.#store.add(event.id);
      if (added !== undefined) await (added as PromiseLike<unknown>);
    } catch (error) {
      this.#report(error, { status: 200, event });
    }
    return this.#end(200);
  }

  #end(status: WebhookStatus): WebhookStatus {
    this.#onEnd(this, status);
    return status;
  }

  #claim(): ClaimResult | PromiseLike<ClaimResult> {
    const { id } = this.event;
    const store = this.#store;
    if (store.claim === undefined) {
      const isDone = store.has(id);
      if (typeof isDone === 'boolean') return isDone ? 'done' : 'claimed';
      return isDone.then((done) => (done ? 'done' : 'claimed'));
    }
    // Not longer than this delivery: the next one must be able to claim the event.
    return store.claim(id, Math.max(1, Math.ceil(this.dueMs - performance.now())));
  }

  async #release(): Promise<void> {
    // A claim that has expired may be another delivery's by now.
    if (this.#store.release === undefined || performance.now() >= this.dueMs) return;
    this.#enter(steps.release);
    try {
      await this.#store.release(this.event.id);
    } catch (error) {
      this.#report(error, { status: 500, event: this.event });
    }
  }

  #enter(step: DeliveryStep): void {
    this.#step = step;
    for (const delivery of this.#deliveries) delivery.step = step;
  }
}

function storeStep(call: string, statusAtTimeout: WebhookStatus): DeliveryStep {
  return { waitsFor: `${call} of the deduplication store`, statusAtTimeout };
}

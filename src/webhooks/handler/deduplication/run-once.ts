/** RunOnce: runs the listener of an event once, no matter how often the event is delivered. */

import type { MarketEvent } from '../../events.js';
import type { DeliveryStep, ProcessContext } from '../delivery-config.js';
import type { ErrorReporter } from '../error-reporter.js';
import type { WebhookStatus } from '../response.js';
import type { DeduplicationStore } from './store.js';

/** The maximum number of failed events whose attempts are counted. */
const maxCountedEvents = 10_000;

/** Calls the listener of the event with the number of the attempt. */
type RunListener = (attempt: number) => unknown;

/**
 * Copies of an event that arrive during its run share the result; the response to later
 * copies is 200. An event is done only when its listener has resolved.
 */
export class RunOnce {
  readonly #store: DeduplicationStore;
  readonly #report: ErrorReporter;
  /** In the order of their start, so that those that have expired come first. */
  readonly #runs = new Map<string, Run>();
  readonly #failedAttempts = new Map<string, number>();

  constructor(store: DeduplicationStore, report: ErrorReporter) {
    this.#store = store;
    this.#report = report;
  }

  /** Resolves with the status of the delivery. Reports what fails; never rejects. */
  process(
    event: MarketEvent,
    context: ProcessContext,
    runListener: RunListener,
  ): Promise<WebhookStatus> {
    this.#forgetExpired();
    const shared = this.#runs.get(event.id);
    if (shared?.status !== undefined) {
      context.step = shared;
      return shared.status;
    }
    const run = new Run(event, this.#failedAttemptsOf(event) + 1, context.dueMs);
    this.#runs.set(event.id, run);
    context.step = run;
    return (run.status = this.#complete(run, runListener));
  }

  async #complete(run: Run, runListener: RunListener): Promise<WebhookStatus> {
    try {
      return await this.#run(run, runListener);
    } finally {
      // After timeoutMs another run of the event may have taken its place.
      if (this.#runs.get(run.event.id) === run) this.#runs.delete(run.event.id);
    }
  }

  async #run(run: Run, runListener: RunListener): Promise<WebhookStatus> {
    const { event } = run;
    try {
      const known = this.#store.has(event.id);
      // Do not await a boolean, which RecentEvents returns: it would cost a turn for each delivery.
      const isDone: unknown = typeof known === 'boolean' ? known : await known;
      if (typeof isDone !== 'boolean') throw notBooleanError(isDone);
      if (isDone) return 200;
    } catch (error) {
      this.#report(error, { status: 500, event });
      return 500;
    }
    // The response was 503, so the service will deliver again: do not run the listener now.
    if (performance.now() >= run.dueMs) return 503;

    run.listen();
    try {
      await runListener(run.attempt);
    } catch (error) {
      this.#countFailure(run);
      this.#report(error, { status: 500, event });
      return 500;
    }
    if (this.#failedAttempts.size > 0) this.#failedAttempts.delete(event.id);

    run.remember();
    try {
      const added = this.#store.add(event.id);
      if (added !== undefined) await (added as PromiseLike<unknown>);
    } catch (error) {
      this.#report(error, { status: 200, event });
    }
    return 200;
  }

  /** After a 503 the run may hang forever: the next delivery must not join it. */
  #forgetExpired(): void {
    if (this.#runs.size === 0) return;
    const nowMs = performance.now();
    for (const run of this.#runs.values()) {
      if (run.dueMs > nowMs) return;
      this.#runs.delete(run.event.id);
      if (run.isListening) this.#countFailure(run);
    }
  }

  #failedAttemptsOf({ id }: MarketEvent): number {
    return this.#failedAttempts.get(id) ?? 0;
  }

  #countFailure({ event, attempt }: Run): void {
    const counts = this.#failedAttempts;
    counts.set(event.id, Math.max(attempt, this.#failedAttemptsOf(event)));
    if (counts.size <= maxCountedEvents) return;
    for (const oldest of counts.keys()) {
      counts.delete(oldest);
      return;
    }
  }
}

/** Anything else, such as the rows of a query, would count as done, and its event would be lost. */
function notBooleanError(value: unknown): TypeError {
  const what = value === null ? 'null' : typeof value;
  return new TypeError(
    `has() of the deduplication store must return true or false, or a promise of it, not ${what}: ` +
      'true only if the event is done.',
  );
}

/** One run of a listener. The delivery that started it and its copies use it as their step. */
class Run implements DeliveryStep {
  readonly event: MarketEvent;
  readonly attempt: number;
  /** When the response to the delivery that started it is due. */
  readonly dueMs: number;
  status: Promise<WebhookStatus> | undefined;
  waitsFor = 'has() of the deduplication store';
  statusAtTimeout: WebhookStatus = 503;
  isListening = false;

  constructor(event: MarketEvent, attempt: number, dueMs: number) {
    this.event = event;
    this.attempt = attempt;
    this.dueMs = dueMs;
  }

  listen(): void {
    this.waitsFor = 'The listener';
    this.isListening = true;
  }

  remember(): void {
    this.waitsFor = 'add() of the deduplication store';
    this.isListening = false;
    // The listener has resolved: with 503 the service would deliver the event and run it again.
    this.statusAtTimeout = 200;
  }
}

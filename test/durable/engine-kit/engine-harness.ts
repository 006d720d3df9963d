/** What the checks need of an engine, and what they do with it again and again. */

import type { DurableQueue, QueueEngine, QueueSpec } from '../../../src/durable/queue/engine.js';
import type { ClaimedJob, Job, JobResult } from '../../../src/durable/queue/job.js';
/** An engine on an empty store, and what a test must be able to do to it. */
export interface EngineUnderTest<Tx = unknown> {
  readonly engine: QueueEngine<Tx>;
  /** Another engine on the same store, as a second process has it. */
  another(): QueueEngine<Tx> | Promise<QueueEngine<Tx>>;
  /** Stops `engine` as kill -9 would: it renews, claims and gives back nothing any more. */
  crash(): unknown;
  /** Takes the store away for so long; resolves when it is back. Without a connection: at once. */
  interrupt(ms: number): Promise<unknown>;
  /**
   * Runs `work` in a transaction that is rolled back when `work` rejects. Without it, the engine must
   * refuse whatever needs one.
   */
  readonly transaction?: (work: (tx: Tx) => Promise<void>) => Promise<void>;
  /** Writes and counts marks in a table of the test, to see what a transaction left. */
  readonly marks?: {
    readonly write: (tx: Tx) => unknown;
    readonly count: () => number | Promise<number>;
  };
  /** Removes the store. */
  close(): unknown;
}

/** The limits that a check runs under. */
export interface CheckSettings {
  /** The lease of the checks. Default: 1,000. */
  readonly leaseMs: number;
  /** How long the job of a dead worker may wait for another. Default: three leases. */
  readonly takeoverMs: number;
  /** Done jobs, and as many waiting behind a dead letter, while a claim is measured. Default: 10,000. */
  readonly backlog: number;
  /** The longest median of a claim behind that backlog. Default: 20. */
  readonly claimMs: number;
}

/** One check: what it does with a fresh engine. */
export interface Check {
  readonly name: string;
  readonly run: (harness: EngineHarness) => Promise<void>;
  readonly timeoutMs?: number;
}

export type Run = (job: ClaimedJob<unknown>) => Promise<JobResult>;

const dayMs = 86_400_000;

/** The tools of a check. */
export class EngineHarness {
  readonly engineUnderTest: EngineUnderTest;
  readonly settings: CheckSettings;
  readonly #queues: DurableQueue<unknown>[] = [];
  readonly #stops: AbortController[] = [];
  readonly #workers: Promise<void>[] = [];

  constructor(engineUnderTest: EngineUnderTest, settings: CheckSettings) {
    this.engineUnderTest = engineUnderTest;
    this.settings = settings;
  }

  /** Opens a queue on the engine, or on another one. */
  async open(
    spec: Partial<QueueSpec> = {},
    engine: QueueEngine<unknown> = this.engineUnderTest.engine,
  ): Promise<DurableQueue<unknown>> {
    const { leaseMs } = this.settings;
    const queue = await engine.open({
      name: 'checks',
      leaseMs,
      keepDoneMs: dayMs,
      ...spec,
    });
    this.#queues.push(queue);
    return queue;
  }

  async openAnother(spec: Partial<QueueSpec> = {}): Promise<DurableQueue<unknown>> {
    return this.open(spec, await this.engineUnderTest.another());
  }

  /** Starts a worker that runs until the check ends, or until the returned controller aborts. */
  start(queue: DurableQueue<unknown>, run: Run, abandonSignal?: AbortSignal): AbortController {
    const stop = new AbortController();
    this.#stops.push(stop);
    const options = { concurrency: 4, signal: stop.signal, abandonSignal };
    this.#workers.push(queue.work(run, options));
    return stop;
  }

  /** Runs what is due. */
  async drain(queue: DurableQueue<unknown>, run: Run = done): Promise<void> {
    const { signal } = new AbortController();
    await queue.work(run, { concurrency: 4, signal, untilIdle: true });
  }

  /** The ids that a drain starts, in their order. */
  async drainIds(queue: DurableQueue<unknown>): Promise<string[]> {
    const ids: string[] = [];
    await this.drain(queue, async (job) => {
      ids.push(job.id);
      await pause(1);
      return { done: undefined };
    });
    return ids;
  }

  async end(): Promise<void> {
    for (const stop of this.#stops) stop.abort();
    // The worker of a crashed engine never ends.
    await Promise.race([Promise.all(this.#workers), pause(2_000)]);
    for (const queue of this.#queues) await Promise.race([queue.close(), pause(2_000)]);
    await this.engineUnderTest.close();
  }
}

export const done: Run = () => Promise.resolve({ done: undefined });

export function job(id: string, orderingKey = 'key', body = '{}'): Job {
  return { id, orderingKey, body, createdAt: '2026-03-01T12:00:00Z' };
}

export function jobs(count: number, name: string, orderingKey: (index: number) => string): Job[] {
  return Array.from({ length: count }, (_, index) => job(`${name}${index}`, orderingKey(index)));
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits until something holds. @throws {@link Error} after `ms` */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  ms = 5_000,
): Promise<void> {
  const until = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > until) throw new Error(`Not within ${ms} ms: ${what}.`);
    await pause(5);
  }
}

/** A promise and its resolver. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

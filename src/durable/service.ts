/** `Service`: a queue's life in a process: opened once, worked on, pruned, stopped. */

import type { SafeLogger } from '../options/logger.js';
import type { DurableQueue, QueueSpec, WorkOptions } from './engine/engine.js';
import type { ClaimedJob, JobResult } from './engine/job.js';
import type { Time } from './engine/time.js';
import { LeaseLostError } from './errors.js';

type Run<Tx> = (job: ClaimedJob<Tx>) => Promise<JobResult>;

/** Stops claims while it is open; then one job is tried. */
export interface Gate {
  isOpen(): boolean;
  /** Fires when it opens. */
  readonly signal: AbortSignal;
  readonly waitMs: number;
}

/** Something that a started service does from time to time. */
export interface Task {
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
}

interface Settings {
  readonly concurrency: number;
  readonly time: Time;
  readonly random: () => number;
  readonly logger: SafeLogger;
  readonly gate?: Gate | undefined;
}

interface Started {
  readonly stop: AbortController;
  readonly abandon: AbortController;
  readonly ended: Promise<unknown>;
}

const dayMs = 86_400_000;
const defaultGraceMs = 25_000;

export class Service<Tx, AddTx = Tx> {
  readonly #engine: { open: (spec: QueueSpec) => Promise<DurableQueue<Tx, AddTx>> };
  readonly #spec: QueueSpec;
  readonly #settings: Settings;
  #opened: Promise<DurableQueue<Tx, AddTx>> | undefined;
  #started: Started | undefined;

  constructor(
    engine: { open: (spec: never) => Promise<DurableQueue<Tx, AddTx>> },
    spec: QueueSpec,
    settings: Settings,
  ) {
    this.#engine = engine as { open: (spec: QueueSpec) => Promise<DurableQueue<Tx, AddTx>> };
    this.#spec = spec;
    this.#settings = settings;
  }

  /** The queue, opened by the first who asks; a failure is tried again by the next. */
  queue(): Promise<DurableQueue<Tx, AddTx>> {
    this.#opened ??= this.#engine.open(this.#spec).catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async start(run: Run<Tx>, tasks: readonly Task[]): Promise<void> {
    const queue = await this.queue();
    if (this.#started !== undefined) return;
    const stop = new AbortController();
    const abandon = new AbortController();
    const daily = { everyMs: dayMs, run: () => this.prune() };
    const running = [
      this.#work(queue, run, this.#workOptions(stop.signal, abandon.signal)),
      ...[...tasks, daily].map((task) => this.#repeat(task, stop.signal)),
    ];
    this.#started = { stop, abandon, ended: Promise.all(running) };
  }

  async stop(graceMs = defaultGraceMs): Promise<void> {
    const started = this.#started;
    this.#started = undefined;
    if (started !== undefined) {
      const over = new AbortController();
      started.stop.abort();
      const grace = this.#settings.time.sleep(graceMs, over.signal);
      void grace.then(() => over.signal.aborted || started.abandon.abort());
      await started.ended;
      over.abort();
    }
    const opened = this.#opened;
    this.#opened = undefined;
    await (await opened?.catch(() => undefined))?.close();
  }

  /** Runs what is due, for `maxMs` at most; what then still runs is given back. */
  async drain(run: Run<Tx>, maxMs: number): Promise<void> {
    const { time } = this.#settings;
    const queue = await this.queue();
    const over = new AbortController();
    const ended = new AbortController();
    const limit = time.sleep(maxMs, ended.signal).then(() => over.abort());
    const options = this.#workOptions(over.signal, over.signal);
    await this.#work(queue, run, { ...options, untilIdle: true });
    ended.abort();
    await limit;
  }

  async prune(): Promise<number> {
    const doneBefore = new Date(this.#settings.time.clock() - this.#spec.keepDoneMs);
    return (await this.queue()).prune(doneBefore);
  }

  /** Works; while the gate is open one job at a time is tried, after each of its waits. */
  async #work(queue: DurableQueue<Tx, AddTx>, run: Run<Tx>, options: WorkOptions): Promise<void> {
    const { gate, time } = this.#settings;
    if (gate === undefined) return queue.work(run, options);
    const { signal, untilIdle = false } = options;
    while (!isAborted(signal)) {
      if (!gate.isOpen()) {
        await queue.work(run, { ...options, signal: AbortSignal.any([signal, gate.signal]) });
        if (untilIdle && !gate.isOpen()) return;
        continue;
      }
      if (untilIdle && gate.waitMs > 0) return;
      await time.sleep(gate.waitMs, signal);
      if (!isAborted(signal)) await tryOne(queue, run, options);
      if (untilIdle && gate.isOpen()) return;
    }
  }

  #workOptions(signal: AbortSignal, abandonSignal: AbortSignal) {
    const { concurrency, logger } = this.#settings;
    const onError = (error: unknown) => {
      const level = error instanceof LeaseLostError ? 'warn' : 'error';
      logger[level]('The engine reported a failure; the work goes on.', { error: String(error) });
    };
    return { concurrency, signal, abandonSignal, onError };
  }

  /** ±20 %, so that processes that started together do not ask together. */
  async #repeat({ everyMs, run }: Task, signal: AbortSignal): Promise<void> {
    const { time, random, logger } = this.#settings;
    for (let failures = 0; !signal.aborted;) {
      await time.sleep(everyMs * (0.8 + 0.4 * random()), signal);
      if (isAborted(signal)) return;
      try {
        await run();
        failures = 0;
      } catch (error) {
        failures += 1;
        const level = failures >= 3 ? 'error' : 'warn';
        logger[level]('A periodic task failed; it runs again.', { failures, error: String(error) });
      }
    }
  }
}

async function tryOne<Tx, AddTx>(
  queue: DurableQueue<Tx, AddTx>,
  run: Run<Tx>,
  options: WorkOptions,
): Promise<void> {
  const tried = new AbortController();
  const signal = AbortSignal.any([options.signal, tried.signal]);
  const runOne: Run<Tx> = async (job) => {
    try {
      return await run(job);
    } finally {
      tried.abort();
    }
  };
  await queue.work(runOne, { ...options, signal, concurrency: 1 });
}

/** TypeScript takes a signal that was not aborted before an await for one that never is. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

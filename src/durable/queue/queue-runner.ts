/** `QueueRunner`: opens, works, prunes and closes one queue in this process. */

import { noop, type SafeLogger } from '../../core/logger.js';
import { raceWithAbort, withAnySignal } from '../../core/time/signals.js';
import { runWithin, startTimeout } from '../../core/time/timeout.js';
import type { QueueEngine, DurableQueue, QueueSpec, WorkOptions } from './engine.js';
import { isAbandoned, type ClaimedJob, type JobResult } from './job.js';
import { repeat, type PeriodicTask } from './periodic-task.js';
import { systemTime, type Time } from '../../core/time/sleep.js';
import { track } from './track.js';
import { DurableStateError, LeaseLostError } from '../errors.js';

type Run<Tx> = (job: ClaimedJob<Tx>) => Promise<JobResult>;

interface Settings {
  readonly concurrency: number;
  readonly time: Time;
  readonly random: () => number;
  readonly logger: SafeLogger;
  /**
   * Calls `work` until the signal of the options fires, and may pause in between. Default: calls it once.
   */
  readonly supervise?:
    | ((work: (options: WorkOptions) => Promise<void>, options: WorkOptions) => Promise<void>)
    | undefined;
}

/** What a runner holds until it is stopped. The next `start` or `drain` begins a new session. */
interface Session<Queue> {
  readonly stop: AbortController;
  readonly abandon: AbortController;
  /** What `stop` waits for. */
  readonly running: Set<Promise<unknown>>;
  isStarted: boolean;
  isOpen: boolean;
  opened?: Promise<Queue> | undefined;
  openedSync?: Queue | undefined;
  closed?: Promise<void> | undefined;
}

const dayMs = 86_400_000;
const defaultGraceMs = 25_000;

/** How long work may lie in a process that takes none: a cron route comes each minute, and takes as long. */
const idleMs = 120_000;
const idleWarning =
  'No program takes what this process stored two minutes ago, because it called neither start() nor drain(). Await start() once, or drain({ maxMs }) from a cron route.';

/** A caller inside a transaction of its own holds a connection that the opening may be waiting for. */
const longestOpenMs = 15_000;

export class QueueRunner<Tx, AddTx = Tx> {
  readonly #engine: QueueEngine<Tx, AddTx>;
  readonly #spec: QueueSpec;
  readonly #settings: Settings;
  #session: Session<DurableQueue<Tx, AddTx>> = newSession();
  /** Those that a `stop` is ending: a `start` after it has its own. */
  readonly #ending = new Set<Session<DurableQueue<Tx, AddTx>>>();
  #hasWorked = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(engine: QueueEngine<Tx, AddTx>, spec: QueueSpec, settings: Settings) {
    this.#engine = engine;
    this.#spec = spec;
    this.#settings = settings;
  }

  /**
   * Opens the queue on first use. If opening fails, the next call tries again.
   *
   * @throws {@link DurableStateError} after `stop`: nothing would close it again.
   */
  async queue(): Promise<DurableQueue<Tx, AddTx>> {
    const session = this.#session;
    if (session.closed !== undefined) throw stoppedError();
    session.opened ??= this.#engine.open(this.#spec).then(
      (queue) => {
        session.isOpen = true;
        return queue;
      },
      (error: unknown) => {
        session.opened = undefined;
        throw error;
      },
    );
    return session.opened;
  }

  /**
   * The queue for a call by the partner: it reopens a stopped one, until the next `stop`.
   *
   * @throws {@link DurableStateError} when it takes too long to open. It goes on, for the next call.
   */
  async openQueue(): Promise<DurableQueue<Tx, AddTx>> {
    if (this.#session.closed !== undefined) this.#session = newSession();
    if (this.#session.isOpen) return this.queue();
    const late = () => notOpenError(this.#spec.name, this.#engine.openHint);
    return runWithin(systemTime, longestOpenMs, () => this.queue(), late);
  }

  /**
   * `openQueue` in this turn, for a caller inside a synchronous transaction; `undefined` if the engine
   * cannot.
   */
  openQueueSync(): DurableQueue<Tx, AddTx> | undefined {
    if (this.#session.closed !== undefined) this.#session = newSession();
    const session = this.#session;
    if (session.openedSync === undefined && this.#engine.openSync !== undefined) {
      const queue = this.#engine.openSync(this.#spec);
      session.openedSync = queue;
      session.isOpen = true;
      // One that is being opened already is closed together with this one.
      session.opened ??= Promise.resolve(queue);
    }
    return session.openedSync;
  }

  /** After work was stored. The first is looked at again: a process that takes none says nothing by itself. */
  watchIdle(): void {
    if (this.#hasWorked || this.#idleTimer !== undefined) return;
    const look = () => void this.run(() => this.#warnIfIdle()).catch(() => undefined);
    const timer: { unref?(): unknown } = (this.#idleTimer = setTimeout(look, idleMs));
    // A process that has nothing else to do ends. The timers of a simulated browser are numbers.
    timer.unref?.();
  }

  async #warnIfIdle(): Promise<void> {
    if (this.#hasWorked || !isAbandoned(await (await this.queue()).counts())) return;
    const { warn } = this.#settings.logger;
    const { name: queue } = this.#spec;
    warn(idleWarning, { queue });
    if (warn === noop) process.emitWarning(`${queue}: ${idleWarning}`, { code: 'MARKET_IDLE' });
  }

  /** Lets the queue be opened again after a `stop`. @returns A signal that the next `stop` fires. */
  resume(): AbortSignal {
    if (this.#session.stop.signal.aborted) this.#session = newSession();
    return this.#session.stop.signal;
  }

  /** @param signal - of `resume`, if the caller had work to do before. */
  async start(run: Run<Tx>, tasks: readonly PeriodicTask[], signal = this.resume()): Promise<void> {
    const session = this.#session;
    const queue = await this.#checkedQueue();
    signal.throwIfAborted();
    if (session.isStarted) return;
    session.isStarted = true;
    const daily = { everyMs: dayMs, run: () => this.prune() };
    session.running.add(this.#work(queue, run, this.#workOptions(signal, session.abandon.signal)));
    for (const task of [...tasks, daily]) {
      session.running.add(repeat(task, this.#settings, signal, session.abandon.signal));
    }
  }

  /** @param users - work that may still use the queue; the queue closes after it. */
  async stop(graceMs = defaultGraceMs, users?: Promise<unknown>): Promise<void> {
    const stopped = stoppedError();
    clearTimeout(this.#idleTimer);
    this.#ending.add(this.#session);
    this.#session.stop.abort(stopped);
    const ending = [...this.#ending];
    const grace = startTimeout(this.#settings.time, graceMs);
    grace.signal.addEventListener('abort', () => {
      for (const { abandon } of ending) abandon.abort(stopped);
    });
    await Promise.allSettled([...ending.flatMap(({ running }) => [...running]), users]);
    void grace.clear();
    try {
      await Promise.all(ending.map((session) => (session.closed ??= close(session))));
    } finally {
      for (const session of ending) this.#ending.delete(session);
    }
  }

  /** Runs a task. `stop` aborts its signal, then waits for it until the grace period ends. */
  async run<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { stop, abandon, running } = this.#session;
    stop.signal.throwIfAborted();
    try {
      return await track(running, raceWithAbort(task(stop.signal), abandon.signal));
    } catch (error) {
      stop.signal.throwIfAborted();
      throw error;
    }
  }

  /**
   * Runs what is due until `end` fires; what is still running then is released.
   *
   * @param lastStart - no job is started after it: one that is released has lost an attempt.
   */
  async drain(run: Run<Tx>, end: AbortSignal, lastStart = end): Promise<void> {
    const stopped = this.resume();
    const { abandon, running } = this.#session;
    const queue = await this.#checkedQueue();
    stopped.throwIfAborted();
    const working = withAnySignal(lastStart, stopped, (signal) =>
      withAnySignal(end, abandon.signal, (abandonSignal) => {
        const options = this.#workOptions(signal, abandonSignal);
        return this.#work(queue, run, { ...options, untilIdle: true });
      }),
    );
    await track(running, working);
  }

  async #checkedQueue(): Promise<DurableQueue<Tx, AddTx>> {
    const queue = await this.queue();
    const warning = await queue.check?.();
    this.#hasWorked = true;
    if (warning !== undefined) this.#settings.logger.warn(warning, { queue: this.#spec.name });
    return queue;
  }

  async prune(): Promise<number> {
    const doneBefore = new Date(this.#settings.time.clock() - this.#spec.keepDoneMs);
    return (await this.queue()).prune(doneBefore);
  }

  #work(queue: DurableQueue<Tx, AddTx>, run: Run<Tx>, options: WorkOptions): Promise<void> {
    const work = (each: WorkOptions) => queue.work(run, each);
    const { supervise } = this.#settings;
    return supervise === undefined ? work(options) : supervise(work, options);
  }

  #workOptions(signal: AbortSignal, abandonSignal: AbortSignal) {
    const { concurrency, logger } = this.#settings;
    const onError = (error: unknown) => {
      const level = error instanceof LeaseLostError ? 'warn' : 'error';
      logger[level]('The engine reported an error; continuing.', { error: String(error) });
    };
    return { concurrency, signal, abandonSignal, onError };
  }
}

function newSession<Queue>(): Session<Queue> {
  const running = new Set<Promise<unknown>>();
  return {
    stop: new AbortController(),
    abandon: new AbortController(),
    running,
    isStarted: false,
    isOpen: false,
  };
}

async function close({
  opened,
  openedSync,
}: Session<{ close: () => Promise<void> }>): Promise<void> {
  const queue = await opened?.catch(() => undefined);
  await queue?.close();
  if (openedSync !== queue) await openedSync?.close();
}

function notOpenError(name: string, openHint = ''): DurableStateError {
  return new DurableStateError(
    `The queue ${name} is not open after ${longestOpenMs / 1_000} s, so nothing was stored: its database does not respond.${openHint && ` ${openHint}`}`,
  );
}

function stoppedError(): DurableStateError {
  return new DurableStateError('The queue was stopped. start() and drain() open it again.');
}

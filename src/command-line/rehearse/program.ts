/** PartnerProgram: the program under rehearsal, which is started, killed and started again. */

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { pause } from '../../core/time/sleep.js';
import { waitUntil } from './wait-until.js';
import type { ProcessGroups } from './process-groups.js';
import type { ProgramOutput } from './program-output.js';

/** Nothing can be said about the program, which is never a pass. What it printed is for the terminal alone. */
export class CouldNotRun extends Error {
  printed = '';
}

export interface ProgramSettings {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly port: number;
  /** How long it may take until it listens. */
  readonly startWithinMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the user should know of the program, in a sentence. */
  readonly onNote: (text: string) => void;
}

/** The program ended without being asked to. */
export interface UnexpectedExit {
  readonly at: number;
  readonly how: string;
}

/** As long as Docker gives a program after SIGTERM; other platforms give up to 30 seconds. */
const stopWithinMs = 10_000;

/** A program that has ignored SIGTERM once does so again. */
const nextStopWithinMs = 1_000;

/** A start or an end that takes longer is told of, and goes on. */
const slowMs = 8_000;

/** How long to wait for what a program printed before it ended. */
const lastWordsMs = 3_000;

/** For a program that keeps ending by itself, more exits say nothing new. */
const maxUnexpectedExits = 25;

export class PartnerProgram {
  readonly #settings: ProgramSettings;
  readonly #groups: ProcessGroups;
  readonly #output: ProgramOutput;
  readonly #signal: AbortSignal;
  readonly #unexpected: UnexpectedExit[] = [];
  #child: ChildProcess | undefined;
  #restartedAt = 0;
  #ignoresSigterm = false;
  /** The processes whose end is wanted. */
  readonly #ending = new WeakSet<ChildProcess>();
  /** The start that is under way. */
  #starting: Promise<void> = Promise.resolve();

  constructor(
    settings: ProgramSettings,
    groups: ProcessGroups,
    output: ProgramOutput,
    signal: AbortSignal,
  ) {
    this.#settings = settings;
    this.#groups = groups;
    this.#output = output;
    this.#signal = signal;
  }

  /** When a case last ended it and started it again. */
  get restartedAt(): number {
    return this.#restartedAt;
  }

  get unexpectedExits(): readonly UnexpectedExit[] {
    return this.#unexpected;
  }

  /**
   * Starts it for the first time, and waits until it listens.
   *
   * @throws {@link CouldNotRun} when it does not
   */
  start(): Promise<void> {
    this.#starting = this.#startFirst();
    return this.#starting;
  }

  /** Kills it and everything that it started, immediately. */
  kill(): void {
    this.#endIsWanted();
    this.#groups.signal(this.#child?.pid, 'SIGKILL');
  }

  /** Starts it again. A {@link kill} that came before the process was there has met none. */
  async restart(whileDown: () => unknown = () => undefined): Promise<void> {
    if (!this.#hasEnded()) this.kill();
    await this.#ended();
    await whileDown();
    await this.#again();
    this.#restartedAt = Date.now();
  }

  /** Asks it to end by SIGTERM, as a deploy does, and waits until it has; then starts it again. */
  async deploy(whileDown?: () => unknown): Promise<void> {
    this.#endIsWanted();
    this.#groups.signal(this.#child?.pid, 'SIGTERM');
    const withinMs = this.#ignoresSigterm ? nextStopWithinMs : stopWithinMs;
    if (!(await waitUntil(this.#hasEnded, Math.min(withinMs, slowMs), this.#signal))) {
      if (!this.#ignoresSigterm) {
        this.#settings.onNote(
          `The program has not ended ${slowMs / 1_000} s after SIGTERM. It is killed after ${stopWithinMs / 1_000} s, and so is its work in a deploy. End the process at SIGTERM.`,
        );
        await waitUntil(this.#hasEnded, withinMs - slowMs, this.#signal);
      }
      this.#ignoresSigterm = true;
      this.kill();
    }
    await this.restart(whileDown);
  }

  /** Resolves when no start is under way, including the one after an unexpected end. */
  async up(): Promise<void> {
    let latest: Promise<void> | undefined;
    while (latest !== this.#starting) {
      latest = this.#starting;
      await latest;
    }
  }

  async #startFirst(): Promise<void> {
    const exit = await this.#launch();
    if (exit !== undefined) {
      throw this.#notStarted(`The program ended with ${exit} before it listened`);
    }
  }

  readonly #hasEnded = (): boolean => {
    const { pid, exitCode = null, signalCode = null } = this.#child ?? {};
    return pid === undefined || exitCode !== null || signalCode !== null;
  };

  #endIsWanted(): void {
    if (this.#child !== undefined) this.#ending.add(this.#child);
  }

  #again(): Promise<void> {
    this.#starting = this.#startAgain();
    return this.#starting;
  }

  /** As a process manager does, however soon it ends: the service may deliver to it at once. */
  async #startAgain(): Promise<void> {
    for (;;) {
      if (this.#unexpected.length > maxUnexpectedExits) {
        throw this.#notStarted('The program ended by itself again and again');
      }
      await this.#ended();
      if (this.#signal.aborted) return;
      const exit = await this.#launch();
      if (exit === undefined) return;
      this.#unexpected.push({ at: Date.now(), how: exit });
    }
  }

  /** @returns how it ended before it listened; `undefined` if it listens */
  async #launch(): Promise<string | undefined> {
    const { command, cwd, port, env, startWithinMs } = this.#settings;
    if (await isListening(port)) {
      throw new CouldNotRun(
        `Something listens on port ${port} already, and would be rehearsed in place of the program. End it, or give another --port.`,
      );
    }
    const [file = '', ...args] = command;
    const child = this.#groups.spawn(file, args, { cwd, env });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => this.#output.add(text));
    let failure: Error | undefined;
    let exit: string | undefined;
    let isUp = false;
    let isRead = false;
    child.once('error', (error) => (failure = error));
    child.once('close', () => (isRead = true));
    child.once('exit', (code, signal) => {
      exit = signal ?? `code ${code}`;
      if (!isUp || this.#ending.has(child)) return;
      this.#unexpected.push({ at: Date.now(), how: exit });
      // A failure is reported to the caller that waits, or at the next wait.
      this.#again().catch(() => undefined);
    });
    const isOver = () => failure !== undefined || exit !== undefined || this.#ending.has(child);
    const isDecided = async () => isOver() || (await isListening(port));
    const isDecidedWithin = (ms: number) => waitUntil(isDecided, ms, this.#signal);
    let isInTime = await isDecidedWithin(Math.min(slowMs, startWithinMs));
    if (!isInTime && startWithinMs > slowMs) {
      this.#settings.onNote(
        `The program does not listen on port ${port} after ${slowMs / 1_000} s: it must listen on PORT, or on the --port that you pass. It has until ${startWithinMs / 1_000} s (--start-within).`,
      );
      isInTime = await isDecidedWithin(startWithinMs - slowMs);
    }
    if (failure !== undefined) {
      const hint = 'It is started without a shell: -- node server.js, or -- sh -c "…"';
      throw this.#notStarted(`The program could not be started: ${failure.message}. ${hint}`);
    }
    if (!isInTime) {
      throw this.#notStarted(`The program did not listen on port ${port} in ${startWithinMs} ms`);
    }
    // Its last words may arrive after its end. A process that it left behind may keep its output open.
    if (exit !== undefined) await waitUntil(() => isRead, lastWordsMs, this.#signal);
    if (this.#ending.has(child)) return undefined;
    isUp = exit === undefined;
    return exit;
  }

  #notStarted(reason: string): CouldNotRun {
    const tail = this.#output.tail(15);
    const printed = tail === '' ? '' : `Its last output:\n${tail}`;
    const why = `${reason}. PORT was ${this.#settings.port}.`;
    return Object.assign(new CouldNotRun(why), { printed });
  }

  /** The process has ended and its port is free. */
  async #ended(): Promise<void> {
    if (this.#child !== undefined && !this.#hasEnded()) await once(this.#child, 'exit');
    const { port } = this.#settings;
    const isFree = async () => !(await isListening(port));
    if (!(await waitUntil(isFree, 5_000, this.#signal))) {
      throw new CouldNotRun(`Something still listens on port ${port} after the program has ended.`);
    }
    await pause(0, [this.#signal]);
  }
}

/** `localhost` may be either of its two addresses. */
export const loopback = ['127.0.0.1', '::1'] as const;

/** Whether anything accepts connections. */
export async function isListening(
  port: number,
  hosts: readonly string[] = loopback,
): Promise<boolean> {
  const attempts = hosts.map(
    (host) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ host, port, timeout: 1_000 });
        const end = (isOpen: boolean) => () => {
          socket.destroy();
          resolve(isOpen);
        };
        socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
      }),
  );
  return (await Promise.all(attempts)).includes(true);
}

/** `WorkerProcesses`: processes that are killed -9 at random and started again. */

import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { builtKit } from '../built.mjs';
import type { CrashWorkerConfig, WrongClock } from './crash-worker.js';

/** Plain text: a build to CommonJS would turn import() of an ES module into require(). */
const programOf = (kit: string, engineModule: string) => `
import { runCrashWorker } from ${JSON.stringify(kit)};
await runCrashWorker(await import(${JSON.stringify(pathToFileURL(engineModule).href)}));
`;

interface RunningProcess {
  readonly child: ChildProcess;
  port: number | undefined;
  /** It works: one that is killed while it starts shows nothing. */
  isReady: boolean;
  isKilled: boolean;
}

const readyWithinMs = 60_000;

/** How long the clock of the one machine is wrong. */
const oneClockWrongMs = 10_000;

const processCount = 2;

/** How wrong the clock of a new process is: minutes and hours, ahead and behind, or right. */
const wrongByMs = [-7_200_000, -300_000, 300_000, 7_200_000, 0];

export class WorkerProcesses {
  readonly #config: CrashWorkerConfig;
  readonly #configFile: string;
  readonly #random: () => number;
  #kit = '';
  readonly #running = new Set<RunningProcess>();
  readonly #errors: string[] = [];
  readonly #startedAt = Date.now();
  #isEnding = false;
  kills = 0;
  /** Exits that no kill of ours caused. */
  crashes = 0;
  /** How far ahead the clocks of the next processes are, for good. */
  aheadMs = 0;

  constructor(config: CrashWorkerConfig, random: () => number) {
    this.#config = config;
    // A file: the intents of a long test are more than an environment variable holds.
    this.#configFile = `${config.ledger}.config.json`;
    writeFileSync(this.#configFile, JSON.stringify(config));
    this.#random = random;
  }

  /** What the processes wrote to stderr, the latest lines. */
  get errors(): string {
    return this.#errors.slice(-20).join('');
  }

  async start(): Promise<void> {
    this.#kit = await builtKit();
    for (let index = 0; index < processCount; index += 1) this.#spawn();
  }

  /** Kills a process that runs, 50 to 500 ms from now. */
  async killOne(): Promise<void> {
    await pause(50 + this.#random() * 450);
    const victim = await this.#chooseOne();
    this.kills += 1;
    await kill(victim);
  }

  /** Stops a process that runs for so long. What it had in hand is another's then. */
  async freezeOne(ms: number): Promise<void> {
    await pause(50 + this.#random() * 450);
    const { child } = await this.#chooseOne();
    child.kill('SIGSTOP');
    // The signal takes a moment: a line that the process still wrote must be before this one.
    await pause(20);
    this.#note(child, 'freeze');
    await pause(ms);
    this.#note(child, 'thaw');
    child.kill('SIGCONT');
  }

  /** Kills every process, and starts as many after `work`. */
  async restartAll(work: () => Promise<void>): Promise<void> {
    this.#isEnding = true;
    await Promise.all([...this.#running].map(kill));
    await work();
    this.#isEnding = false;
    for (let index = 0; index < processCount; index += 1) this.#spawn();
  }

  /** Until every process works. */
  async allReady(): Promise<void> {
    await this.#untilReady(processCount);
  }

  /** One of those that work; waits for the first. */
  async #chooseOne(): Promise<RunningProcess> {
    const ready = await this.#untilReady(1);
    return ready[Math.floor(this.#random() * ready.length)]!;
  }

  async #untilReady(count: number): Promise<RunningProcess[]> {
    const until = Date.now() + readyWithinMs;
    for (;;) {
      const ready = [...this.#running].filter(({ isReady }) => isReady);
      if (ready.length >= count) return ready;
      if (Date.now() > until) throw new Error(`Too few processes started: ${this.errors}`);
      await pause(10);
    }
  }

  #note({ pid = 0 }: ChildProcess, word: string): void {
    appendFileSync(this.#config.ledger, `${pid} ${word}\n`);
  }

  /** Ports of the processes that listen. */
  get ports(): number[] {
    return [...this.#running].flatMap(({ port }) => port ?? []);
  }

  /** Until every clock of the start is right, and what it wrote was met with the right one. */
  async clocksAreRight(): Promise<void> {
    if (this.#config.clocks === 'right') return;
    await pause(this.#startedAt + oneClockWrongMs + 1_000 - Date.now());
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all([...this.#running].map(kill));
  }

  /** How wrong the clock of the next process is, and until when. */
  #nextClock(): WrongClock {
    const { clocks } = this.#config;
    if (this.aheadMs > 0) return { byMs: this.aheadMs, untilMs: Number.MAX_SAFE_INTEGER };
    if (clocks === 'right') return { byMs: 0, untilMs: 0 };
    // One machine has one clock, and is set right once: forward would end leases of the living.
    if (clocks === 'one') return { byMs: 7_200_000, untilMs: this.#startedAt + oneClockWrongMs };
    const byMs = wrongByMs[Math.floor(this.#random() * wrongByMs.length)] ?? 0;
    return { byMs, untilMs: Date.now() + 2_000 + this.#random() * 3_000 };
  }

  #spawn(): void {
    const child = spawn(
      process.execPath,
      ['--input-type=module', '-e', programOf(this.#kit, this.#config.engineModule)],
      {
        env: {
          ...process.env,
          MARKET_CRASH_WORKER: this.#configFile,
          MARKET_CRASH_CLOCK: JSON.stringify(this.#nextClock()),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const running: RunningProcess = {
      child,
      port: undefined,
      isReady: false,
      isKilled: false,
    };
    this.#running.add(running);
    child.stdout.on('data', (text: Buffer) => {
      const port = /port (\d+)/.exec(text.toString())?.[1];
      if (port !== undefined) running.port = Number(port);
      if (text.includes('ready')) running.isReady = true;
    });
    child.stderr.on('data', (text: Buffer) => this.#errors.push(text.toString()));
    child.once('exit', (_code, signal) => {
      if (!running.isKilled || signal !== 'SIGKILL') this.crashes += 1;
      // After the last line that the process wrote.
      this.#note(child, 'exit');
      this.#running.delete(running);
      if (!this.#isEnding) this.#spawn();
    });
  }
}

async function kill(victim: RunningProcess): Promise<void> {
  const exited = new Promise((resolve) => victim.child.once('exit', resolve));
  victim.isKilled = true;
  victim.child.kill('SIGKILL');
  await exited;
}

/**
 * Looks until all has ended, for as long as patience lasts. The emulator responds in this process: looks one
 * after the other would keep it from the polls that they wait for.
 */
export async function waitForEnd(
  hasEnded: () => Promise<boolean>,
  patienceMs: number,
): Promise<void> {
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    const lookedAt = performance.now();
    if (await hasEnded()) return;
    await pause(Math.max(100, 4 * (performance.now() - lookedAt)));
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** `WorkerProcesses`: processes that are killed -9 at random and started again. */

import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { builtKit } from '../built.mjs';
import type { CrashWorkerConfig } from './crash-worker.js';

/** Plain text: a build to CommonJS would turn import() of an ES module into require(). */
const programOf = (kit: string, engineModule: string) => `
import { runCrashWorker } from ${JSON.stringify(kit)};
await runCrashWorker(await import(${JSON.stringify(pathToFileURL(engineModule).href)}));
`;

interface RunningProcess {
  readonly child: ChildProcess;
  port: number | undefined;
  isKilled: boolean;
}

export class WorkerProcesses {
  readonly #config: CrashWorkerConfig;
  readonly #configFile: string;
  readonly #random: () => number;
  #kit = '';
  readonly #running = new Set<RunningProcess>();
  readonly #errors: string[] = [];
  #isEnding = false;
  kills = 0;
  /** Exits that no kill of ours caused. */
  crashes = 0;

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

  async start(count: number): Promise<void> {
    this.#kit = await builtKit();
    for (let index = 0; index < count; index += 1) this.#spawn();
  }

  /** Kills a process that runs, 50 to 500 ms from now. */
  async killOne(): Promise<void> {
    await pause(50 + this.#random() * 450);
    const running = [...this.#running];
    const victim = running[Math.floor(this.#random() * running.length)];
    if (victim === undefined) return;
    this.kills += 1;
    await kill(victim);
  }

  /** Ports of the processes that listen. */
  get ports(): number[] {
    return [...this.#running].flatMap(({ port }) => port ?? []);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all([...this.#running].map(kill));
  }

  #spawn(): void {
    const child = spawn(
      process.execPath,
      ['--input-type=module', '-e', programOf(this.#kit, this.#config.engineModule)],
      {
        env: { ...process.env, MARKET_CRASH_WORKER: this.#configFile },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const running: RunningProcess = { child, port: undefined, isKilled: false };
    this.#running.add(running);
    child.stdout.on('data', (text: Buffer) => {
      const port = /port (\d+)/.exec(text.toString())?.[1];
      if (port !== undefined) running.port = Number(port);
    });
    child.stderr.on('data', (text: Buffer) => this.#errors.push(text.toString()));
    child.once('exit', (_code, signal) => {
      if (!running.isKilled || signal !== 'SIGKILL') this.crashes += 1;
      // After the last line that the process wrote.
      appendFileSync(this.#config.ledger, `${child.pid ?? 0} exit\n`);
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

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

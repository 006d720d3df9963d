/** `causeTroubles`: what happens to the processes of a crash test, one thing after the other. */

import { appendFileSync } from 'node:fs';
import { fault } from 'market-partner-sdk/testing';
import type { CrashSetup } from './crash-setup.js';
import { callModule } from './engine-module.js';
import { readLedger, sinceEmptied } from './ledger.js';
import { pause, type WorkerProcesses } from './worker-processes.js';

/** How often each trouble happens, in a random order. */
export interface Troubles {
  /** A process is killed -9, and another one is started. */
  readonly kills: number;
  /** A process is stopped for longer than its lease, and goes on. */
  readonly freezes: number;
  /** A lock that commits need is held for longer than a lease. */
  readonly locks: number;
  /** Every process is killed, the store is emptied, and processes are started again. */
  readonly empties: number;
  /** The service responds 503 to everything that the processes send, for some seconds. */
  readonly outages: number;
}

type Trouble = keyof Troubles;

/** How long a trouble keeps the test from the next one, roughly. */
export const troubleMs: Readonly<Record<Trouble, number>> = {
  kills: 300,
  freezes: 2_500,
  locks: 4_300,
  empties: 2_000,
  outages: 2_500,
};

/** The lease of the workers. */
export const leaseMs = 1_000;
const lockMs = 4 * leaseMs;
/** How many listeners a process runs at once. */
export const inboxPlaces = 8;
export const eventsOfSale = 3;
/** So much that could end without the lock waits for sure if nothing ends. */
const fewestWaiting = 8;

/** @param countWaiting - how many items have not ended, to see whether the others go on beside a lock */
export async function causeTroubles(
  setup: CrashSetup,
  workers: WorkerProcesses,
  countWaiting: (lines: readonly string[]) => number,
): Promise<{ stalls: number }> {
  let stalls = 0;
  const cause: Record<Trouble, () => Promise<unknown>> = {
    kills: () => workers.killOne(),
    freezes: () => workers.freezeOne((1.5 + setup.random() * 1.5) * leaseMs),
    locks: async () => {
      // A lock that no working process meets shows nothing.
      await workers.allReady();
      stalls += (await isStalledByLock(setup, countWaiting)) ? 1 : 0;
    },
    empties: async () => {
      await somethingEnded(setup.config.ledger);
      await pause(setup.random() * 1_000);
      await workers.restartAll(async () => {
        await callModule(
          setup.config.engineModule,
          `module.emptyStore(${JSON.stringify(setup.config.store)})`,
        );
        appendFileSync(setup.config.ledger, '0 emptied\n');
      });
    },
    outages: async () => {
      const { faults } = setup.emulator;
      let isOver = false;
      // The inbox has its sales from this process, which goes on.
      const isMet = (method: string) => setup.config.target === 'outbox' || method === 'GET';
      faults.on(({ method }) => !isOver && isMet(method), fault.status(503));
      await pause(1_000 + setup.random() * 3_000);
      isOver = true;
    },
  };
  for (const trouble of shuffled(setup)) await cause[trouble]();
  if (setup.config.plantedFault === undefined) await workers.clocksAreRight();
  return { stalls };
}

/** An empty store cannot be emptied. */
async function somethingEnded(ledger: string): Promise<void> {
  while (!sinceEmptied(readLedger(ledger)).some(isEnd)) await pause(20);
}

function shuffled({ settings: { troubles }, random }: CrashSetup): Trouble[] {
  const names = Object.keys(troubles) as Trouble[];
  return names
    .flatMap((name) => Array.from({ length: troubles[name] }, () => ({ name, at: random() })))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
}

/**
 * Whether the processes stood still in the second half of a lock: all of them began to wait in the first.
 * Where the lock stops the whole store, only their event loops must go on.
 */
async function isStalledByLock(
  { config, lockStopsStore }: CrashSetup,
  countWaiting: (lines: readonly string[]) => number,
): Promise<boolean> {
  const { engineModule, store, ledger } = config;
  await callModule(
    engineModule,
    `module.holdLock(${JSON.stringify(store)}, async () => {
      const { appendFileSync } = await import('node:fs');
      const wait = () => new Promise((resolve) => setTimeout(resolve, ${lockMs / 2}));
      const note = (word) => appendFileSync(${JSON.stringify(ledger)}, '0 ' + word + '\\n');
      note('locked');
      await wait();
      note('half');
      await wait();
      note('unlocking');
    })`,
  );
  const lines = readLedger(ledger);
  const [locked, half, unlocking] = ['locked', 'half', 'unlocking'].map((word) =>
    lines.lastIndexOf(`0 ${word}`),
  );
  const during = lines.slice(half, unlocking);
  // Not those that start: on a busy machine that takes longer than a lock, and a locked file cannot be opened.
  const ended = withWord('exit', lines.slice(0, unlocking));
  const working = [...withWord('ready', lines.slice(0, locked))].filter((pid) => !ended.has(pid));
  const beating = withWord('beat', during);
  if (lockStopsStore) return working.some((pid) => !beating.has(pid));
  // Nothing more of a sale starts while its commit waits, and a process whose places all wait starts nothing.
  const held = working.map((pid) => countRunning(lines.slice(0, half), pid));
  const behind = held.reduce((sum, count) => sum + count * eventsOfSale, 0);
  const hasWork = countWaiting(lines.slice(0, unlocking)) - behind >= fewestWaiting;
  const couldWork = working.some((pid, at) => beating.has(pid) && (held[at] ?? 0) < inboxPlaces);
  return hasWork && couldWork && !during.some(isEnd);
}

/** The processes that noted the word. */
function withWord(word: string, lines: readonly string[]): ReadonlySet<string | undefined> {
  const noted = lines.filter((line) => line.endsWith(` ${word}`));
  return new Set(noted.map((line) => line.split(' ')[0]));
}

/** How many listeners of the process have started and not ended. */
function countRunning(lines: readonly string[], pid: string | undefined): number {
  const running = new Set<string | undefined>();
  for (const line of lines) {
    const [by, word = '', id] = line.split(' ');
    if (by !== pid) continue;
    if (word === 'start') running.add(id);
    else if (['end', 'fail', 'lost'].includes(word)) running.delete(id);
  }
  return running.size;
}

function isEnd(line: string): boolean {
  return / (end|placed|refused) /.test(line);
}

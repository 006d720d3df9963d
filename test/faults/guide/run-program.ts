/** Runs a shop's program as a process that dies of SIGKILL, and reads what it left behind. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';

/** The process that runs now: a fault of the service kills it while its request is under way. */
export interface Running {
  child?: ChildProcess;
}

/** @returns whether it was killed; every other end but success fails the test. */
export async function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  running: Running = {},
): Promise<{ readonly isKilled: boolean; readonly out: string }> {
  const child = spawn(process.execPath, args, {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    // Only for one that hangs: up to ten of them start at once, and share the processor.
    timeout: 60_000,
    killSignal: 'SIGTERM',
  });
  running.child = child;
  let out = '';
  child.stdout.on('data', (part: Buffer) => (out += part.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  const isKilled = signal === 'SIGKILL';
  if (!isKilled) expect({ code, signal }, args.join(' ')).toEqual({ code: 0, signal: null });
  return { isKilled, out };
}

export async function readJournal(path: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

/** Does the work of all items, a few at once. */
export async function forEachOf<T>(
  items: readonly T[],
  parallel: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const lane = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: parallel }, lane));
}

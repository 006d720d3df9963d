/** Runs an example as its reader does: `node examples/NAME.mjs`, as a process of its own. */

import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../examples/', import.meta.url));

/** What the examples share, and nobody runs. */
const shared = ['connect.mjs', 'print.mjs'];

/** Every example that there is: a new one is tested from its first day. */
export const exampleNames: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith('.mjs') && !shared.includes(file))
  .map((file) => file.replace(/\.mjs$/, ''));

/** How an example ended. */
export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of `stdout`, without what is empty. */
  readonly lines: readonly string[];
}

export interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Told of all that was printed so far, whenever there is more. */
  readonly onOutput?: (stdout: string) => void;
}

/** Ends with the example, or ends one that hangs after 45 seconds. */
export function runExample(name: string, options: RunOptions = {}): Promise<Run> {
  const { args = [], env = {}, onOutput } = options;
  // Nothing of this process's own variables: a MARKET_SECRET of the developer stays out of it.
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [`${folder}${name}.mjs`, ...args], {
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 45_000,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    onOutput?.(stdout);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const lines = stdout.split('\n').filter((line) => line.trim() !== '');
      resolve({ code, stdout, stderr, lines });
    });
  });
}

const runs = new Map<string, Promise<Run>>();

/** The run of an example by itself, with the emulator; made once and looked at by several tests. */
export function ownRun(name: string): Promise<Run> {
  const run = runs.get(name) ?? runExample(name);
  runs.set(name, run);
  return run;
}

/** What stands after a label, each time that it is printed. */
export function valuesOf({ lines }: Run, label: string): string[] {
  return lines
    .map((line) => line.trim())
    .filter((line) => line.startsWith(`${label}  `) || line === label)
    .map((line) => line.slice(label.length).trim());
}

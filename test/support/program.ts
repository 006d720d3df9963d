/** A program of the repository as a process of its own, killed at the end of the test. */

import { spawn, type ChildProcess } from 'node:child_process';
import { onTestFinished, type TestContext } from 'vitest';

export interface RunningProgram {
  readonly child: ChildProcess;
  /** Resolves when the output has this; rejects if the program ends before. */
  printed(pattern: RegExp): Promise<void>;
  output(): string;
}

/**
 * Starts Node with these arguments; the variables are added to this process's own.
 *
 * @param atEnd - the test's own, where others run at the same time
 */
export function startProgram(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  node = process.execPath,
  atEnd: TestContext['onTestFinished'] = onTestFinished,
): RunningProgram {
  const child = spawn(node, args, {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => void child.kill('SIGKILL'));
  let output = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => {
      output += text.toString();
      for (const look of waiting) look();
    });
  }
  const printed = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      child.once('close', (code) => {
        reject(
          new Error(`ended with ${String(code)} before it printed ${String(pattern)}: ${output}`),
        );
      });
      const look = () => {
        if (!pattern.test(output)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { child, printed, output: () => output };
}

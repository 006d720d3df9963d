/** ProcessGroups: starts processes so that each ends with everything that it started, even if this process is killed. */

import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Runs next to this process, in its own group. Its input ends when this process does, by Ctrl-C, a
 * crash or SIGKILL: then it ends the groups that are left.
 */
const watchdog = `
let groups = new Set(), rest = '';
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) groups[line[0] === '+' ? 'add' : 'delete'](Number(line.slice(1)));
}).on('end', () => {
  for (const group of groups) try { process.kill(-group, 'SIGKILL'); } catch {}
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
`;

export interface GroupOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export class ProcessGroups {
  readonly #groups = new Map<number, Promise<unknown>>();
  readonly #watchdog: ChildProcess;

  constructor() {
    this.#watchdog = spawn(process.execPath, ['-e', watchdog], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      env: {},
    });
    this.#watchdog.on('error', () => undefined);
    this.#watchdog.stdin?.on('error', () => undefined);
  }

  /** Starts a process as the leader of a new group. Its end is the event `close` of the result. */
  spawn(command: string, args: readonly string[], { cwd, env }: GroupOptions): ChildProcess {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const { pid } = child;
    if (pid === undefined) return child;
    // What the leader started may outlive it, and keep its port.
    const ended = new Promise((resolve) => child.once('exit', resolve));
    this.#groups.set(
      pid,
      ended.then(() => this.#end(pid)),
    );
    this.#watchdog.stdin?.write(`+${pid}\n`);
    return child;
  }

  /** Signals a whole group; `false` if it has ended. */
  signal(pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): boolean {
    if (pid === undefined || !this.#groups.has(pid)) return false;
    try {
      return process.kill(-pid, signal);
    } catch {
      return false;
    }
  }

  /** Ends every group, and the watchdog. Resolves when the processes have ended. */
  async endAll(): Promise<void> {
    for (const pid of this.#groups.keys()) this.signal(pid, 'SIGKILL');
    await Promise.all(this.#groups.values());
    this.#watchdog.stdin?.end();
  }

  #end(pid: number): void {
    this.signal(pid, 'SIGKILL');
    this.#groups.delete(pid);
    this.#watchdog.stdin?.write(`-${pid}\n`);
  }
}

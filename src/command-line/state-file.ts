/** StateFile: the file of `emulator --state`, which one emulator has at a time. */

import { readFile, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { isRecord, parseJson } from '../core/json.js';
import type { MarketEmulator } from '../testing/emulator.js';
import type { EmulatorSnapshot } from '../testing/snapshot.js';
import { messageOf, UsageError } from './terminal.js';
import { readText } from './text-file.js';

/** The locks of this process: in a container, a new process often has the id of the last one. */
const ownLocks = new Set<string>();

export class StateFile {
  readonly #file: string;
  readonly #lock: string;
  #saving: Promise<void> = Promise.resolve();

  private constructor(file: string, lock: string) {
    this.#file = file;
    this.#lock = lock;
  }

  /** @throws {@link Error} when a running emulator has the file: each would overwrite the other's state */
  static async open(file: string): Promise<StateFile> {
    const lock = `${await targetOf(file)}.lock`;
    const holder = await takeLock(lock);
    if (holder === undefined) return new StateFile(file, lock);
    throw new Error(
      `"--state" ${file} is in use by another emulator (process ${holder}). Give this one another file; if there is no other, delete ${lock}.`,
    );
  }

  /** Puts what it holds into the emulator. A file that is missing or empty means the first start. */
  async read(emulator: MarketEmulator): Promise<void> {
    const state = await readJsonFile('--state', this.#file, null);
    if (state === null) return;
    try {
      emulator.restore(state as EmulatorSnapshot);
    } catch (error) {
      throw new Error(`"--state" ${this.#file}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** One after the other: they write to the same temporary file, and the last must be the newest. */
  async write(state: EmulatorSnapshot): Promise<void> {
    const saved = this.#saving.then(() => writeState(this.#file, state));
    this.#saving = saved.catch(() => undefined);
    await saved;
  }

  /** Lets another emulator have it. */
  async close(): Promise<void> {
    await this.#saving;
    if (ownLocks.delete(this.#lock)) await rm(this.#lock, { force: true });
  }
}

/** @returns the id of the process that has it; `undefined` if it was taken, or cannot be made here */
async function takeLock(lock: string): Promise<number | undefined> {
  const content = JSON.stringify({ pid: process.pid, host: hostname() });
  const take = () => writeFile(lock, content, { flag: 'wx', mode: 0o600 });
  try {
    await take().catch(async (error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
      const holder = await holderOf(lock);
      if (holder !== undefined) throw new LockedError(holder);
      await rm(lock, { force: true });
      await take();
    });
    ownLocks.add(lock);
  } catch (error) {
    if (error instanceof LockedError) return error.holder;
    // A folder that takes no other file, or none at all: that shows when the state is written.
  }
  return undefined;
}

class LockedError extends Error {
  constructor(readonly holder: number) {
    super();
  }
}

/** Who has it; `undefined` for what a crash has left behind. */
async function holderOf(lock: string): Promise<number | undefined> {
  const found = parseJson(await readFile(lock, 'utf8').catch(() => ''));
  const { pid, host } = isRecord(found) ? found : {};
  // The processes of another machine, or of a container that was removed, cannot be looked up.
  if (typeof pid !== 'number' || host !== hostname()) return undefined;
  if (pid === process.pid) return ownLocks.has(lock) ? pid : undefined;
  try {
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return codeOf(error) === 'EPERM' ? pid : undefined;
  }
}

/** The content of a JSON file; `missing` for one that is missing or empty, if it is given. */
export async function readJsonFile(
  option: string,
  file: string,
  missing?: unknown,
): Promise<unknown> {
  let text: string;
  try {
    text = await readText(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && missing !== undefined) return missing;
    throw new UsageError(`"${option}" cannot be read: ${messageOf(error)}`);
  }
  if (missing !== undefined && text.trim() === '') return missing;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`"${option}" ${file} is not JSON: ${messageOf(error)}`);
  }
}

/** Renaming replaces the old file atomically: no crash leaves half a state. A link stays one. */
async function writeState(file: string, state: EmulatorSnapshot): Promise<void> {
  try {
    const target = await targetOf(file);
    const content = JSON.stringify(state);
    const found = await stat(target).catch(() => undefined);
    // A device, such as /dev/null, would be replaced by a file.
    if (found?.isFile() === false) {
      await writeFile(target, content);
      return;
    }
    const temporary = `${target}.${process.pid}.tmp`;
    try {
      await writeFile(temporary, content, { mode: 0o600 });
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      if (found === undefined || !isFixed(error)) throw error;
      await writeFile(target, content);
    }
  } catch (error) {
    throw new Error(`"--state" cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

/** What a link leads to, also if that is yet to be made. */
async function targetOf(file: string): Promise<string> {
  return await realpath(file).catch(() =>
    readlink(file).then(
      (target) => resolve(dirname(file), target),
      () => file,
    ),
  );
}

/**
 * A file that is mounted into a container, or whose folder belongs to another user, cannot be replaced, only
 * written. After any other error, such as a full disk, writing would destroy the old state.
 */
function isFixed(error: unknown): boolean {
  return ['EBUSY', 'EACCES', 'EPERM', 'EROFS'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return String((Object(error) as { code?: unknown }).code);
}

/** Runs tests against a changed source, in a process that is replaced when it hangs or grows old. */

import { fork } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleTests, root } from './bundle.mjs';

const folder = join(root, 'node_modules/.mutants');
const program = join(root, 'test/mutants/run-bundle.mjs');
/** Each bundle stays in its process's memory. */
const bundlesPerProcess = 50;
let count = 0;

export class TestRunner {
  /** What takes longer never ends. */
  hangsAfterMs = 120_000;
  #child;
  #runs = 0;

  /**
   * @param {readonly string[]} tests
   * @param {ReadonlyMap<string, string>} replaced - source text by path from the root.
   * @returns {Promise<{ tests: number, failure: { name: string, message: string } | null }>}
   */
  async run(tests, replaced) {
    await mkdir(folder, { recursive: true });
    const outfile = join(folder, `${process.pid}-${(count += 1)}.mjs`);
    try {
      await bundleTests(tests, replaced, outfile);
      return await this.#runBundle(outfile);
    } catch (error) {
      // It does not load, it crashes, or it never ends: noticed in any case.
      this.close();
      return { tests: 0, failure: { name: 'it does not run', message: error.message } };
    } finally {
      await rm(outfile, { force: true });
    }
  }

  close() {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
    this.#runs = 0;
  }

  async #runBundle(outfile) {
    if (this.#runs === bundlesPerProcess) this.close();
    this.#runs += 1;
    const child = (this.#child ??= fork(program, { cwd: root, stdio: 'ignore' }));
    let timer;
    try {
      return await new Promise((resolve, reject) => {
        timer = setTimeout(() => reject(new Error('it never ends')), this.hangsAfterMs);
        child.once('message', resolve);
        child.once('exit', () => reject(new Error('it ends the process')));
        child.send(outfile);
      });
    } finally {
      clearTimeout(timer);
      child.removeAllListeners();
    }
  }
}

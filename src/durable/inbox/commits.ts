/** `Commits`: the commits of one attempt, whether its listener awaited them or not. */

import type { ClaimedJob } from '../queue/job.js';

export class Commits<Tx> {
  readonly #job: Pick<ClaimedJob<Tx>, 'commit'>;
  readonly #begun: Promise<void>[] = [];

  readonly #output: string | undefined;

  /** @param output - what the job ends with */
  constructor(job: Pick<ClaimedJob<Tx>, 'commit'>, output: string | undefined) {
    this.#job = job;
    this.#output = output;
  }

  readonly commit = (write: (tx: Tx) => unknown): Promise<void> => {
    const begun = this.#job.commit(write, this.#output);
    // The attempt reports a failure; here it must not end the process as unhandled.
    begun.catch(() => undefined);
    this.#begun.push(begun);
    return begun;
  };

  /** Waits for every commit that has begun. A commit that hangs holds the event's row, so no retry could run. */
  async hasCommitted(): Promise<boolean> {
    const ended = await Promise.allSettled(this.#begun);
    return ended.some(({ status }) => status === 'fulfilled');
  }

  /** Throws the last failure, unless a commit succeeded: without one, the event is not done. */
  async throwIfFailed(): Promise<void> {
    if (this.#begun.length === 0 || (await this.hasCommitted())) return;
    await this.#begun.at(-1);
  }
}

/** `collectCommits`: the commits of one attempt, whether its listener awaited them or not. */

import type { ClaimedJob } from '../queue/job.js';

/** @param output - what the job ends with */
export function collectCommits<Tx>(
  job: Pick<ClaimedJob<Tx>, 'commit'>,
  output: string | undefined,
) {
  const begun: Promise<void>[] = [];
  /** Waits for every commit that has begun. A commit that hangs holds the event's row, so no retry could run. */
  const hasCommitted = async () => {
    const ended = await Promise.allSettled(begun);
    return ended.some(({ status }) => status === 'fulfilled');
  };
  return {
    hasCommitted,
    commit: (write: (tx: Tx) => unknown) => {
      const committed = job.commit(write, output);
      // The attempt reports a failure; here it must not end the process as unhandled.
      committed.catch(() => undefined);
      begun.push(committed);
      return committed;
    },
    /** Throws the last failure, unless a commit succeeded: without one, the event is not done. */
    throwIfFailed: async () => {
      if (begun.length > 0 && !(await hasCommitted())) await begun.at(-1);
    },
  };
}

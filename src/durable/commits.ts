/** `runWithCommits`: runs a function of the partner with the commits of its attempt, whether it awaited them or not. */

import type { ClaimedJob } from './queue/job.js';

/**
 * Waits for every commit that has begun: one that hangs holds the job's row, so no retry could run. Throws the last
 * failure, unless a commit succeeded: without one, the job is not done.
 *
 * @param output - what the job ends with
 * @param onLateFailure - receives what `run` threw after its commit: the job is done
 */
export async function runWithCommits<Tx>(
  job: Pick<ClaimedJob<Tx>, 'commit'>,
  output: string | undefined,
  run: (commit: (write: (tx: Tx) => unknown) => Promise<void>) => Promise<unknown>,
  onLateFailure: (error: unknown) => void,
): Promise<void> {
  const begun: Promise<void>[] = [];
  const commit = (write: (tx: Tx) => unknown) => {
    const committed = job.commit(write, output);
    // The attempt reports a failure; here it must not end the process as unhandled.
    committed.catch(() => undefined);
    begun.push(committed);
    return committed;
  };
  const [ran] = await Promise.allSettled([run(commit)]);
  const commits = await Promise.allSettled(begun);
  const hasCommitted = commits.some(({ status }) => status === 'fulfilled');
  if (ran.status === 'fulfilled') {
    if (!hasCommitted) await begun.at(-1);
    return;
  }
  if (!hasCommitted) throw ran.reason;
  onLateFailure(ran.reason);
}

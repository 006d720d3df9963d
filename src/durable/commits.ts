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
  // Not by allSettled: Bluebird, where it is the global Promise, has results of another shape.
  let failure: { readonly error: unknown } | undefined;
  try {
    await run(commit);
  } catch (error) {
    failure = { error };
  }
  const succeeded = begun.map((committed) =>
    committed.then(
      () => true,
      () => false,
    ),
  );
  const hasCommitted = (await Promise.all(succeeded)).includes(true);
  if (failure === undefined) {
    if (!hasCommitted) await begun.at(-1);
    return;
  }
  if (!hasCommitted) throw failure.error;
  onLateFailure(failure.error);
}

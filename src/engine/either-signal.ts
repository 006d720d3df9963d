/** One signal out of two, for the time of one call. */

import { whenAborted } from './caller-signal.js';

/**
 * Runs `work` with a signal that fires when either does, and lets go of both when it is done:
 * `AbortSignal.any` would stay attached to a signal that outlives many calls.
 */
export async function withEitherSignal<T>(
  first: AbortSignal | undefined,
  second: AbortSignal | undefined,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (first === undefined || second === undefined) return work(first ?? second);
  const controller = new AbortController();
  const releases = [first, second].map((signal) =>
    whenAborted(signal, () => controller.abort(signal.reason)),
  );
  try {
    return await work(controller.signal);
  } finally {
    for (const release of releases) release();
  }
}

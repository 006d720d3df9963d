/** Real time whose pending sleeps can be frozen: what kill -9 leaves of a worker. */

import type { TimeOptions } from 'market-partner-sdk/durable';

/** @param busyMs - how long a worker may be busy with its store between two sleeps. */
export function freezableTime(busyMs = 30): {
  readonly options: Required<TimeOptions>;
  readonly freeze: () => Promise<void>;
} {
  let generation = 0;
  const options: Required<TimeOptions> = {
    clock: () => Date.now(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const born = generation;
        const end = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          if (born === generation) resolve();
        };
        const timer = setTimeout(end, ms);
        signal.addEventListener('abort', end);
        if (signal.aborted) end();
      }),
  };
  return {
    options,
    freeze: async () => {
      // A worker that is busy in this moment reaches its next sleep.
      await new Promise((resolve) => setTimeout(resolve, busyMs));
      generation += 1;
    },
  };
}

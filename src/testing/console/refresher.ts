/** createRefresher: reads again after a change, not more often than a rate, never twice at once. */

/**
 * Returns a function that asks for another read.
 *
 * @param intervalMs - the shortest time between two reads
 * @param read - reads; a failure is left to the next read
 */
export function createRefresher(
  intervalMs: number,
  sleep: (milliseconds: number) => Promise<void>,
  read: () => Promise<void>,
): () => void {
  let isDue = false;
  let isRunning = false;
  const run = async () => {
    isRunning = true;
    while (isDue) {
      isDue = false;
      await read().catch(() => undefined);
      await sleep(intervalMs);
    }
    isRunning = false;
  };
  return () => {
    isDue = true;
    if (!isRunning) void run();
  };
}

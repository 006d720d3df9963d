/** createRefresher: reads again after a change, not more often than a rate, never twice at once. */

/**
 * @param intervalMs - the shortest time between two reads
 * @param read - reads; a failure is left to the next read
 */
export function createRefresher(
  intervalMs: number,
  sleep: (milliseconds: number) => Promise<void>,
  read: () => Promise<void>,
): { readonly refresh: () => void } {
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
  return {
    refresh() {
      isDue = true;
      if (!isRunning) void run();
    },
  };
}

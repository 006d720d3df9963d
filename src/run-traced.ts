/** runTraced: runs work inside a tracing that must not be able to fail, repeat or delay it. */

/**
 * @param trace - calls what it gets, in a context of its own.
 * @returns the promise of `work`, which runs exactly once whatever `trace` does.
 */
export function runTraced<Args extends unknown[], T>(
  trace: (run: (...args: Args | []) => Promise<T>) => unknown,
  work: (...args: Args | []) => Promise<T>,
): Promise<T> {
  let result: Promise<T> | undefined;
  const run = (...args: Args | []) => (result ??= work(...args));
  try {
    // A rejection of the tracing's own promise must not end the process.
    Promise.resolve(trace(run)).catch(() => undefined);
  } catch {
    // A broken tracer must not lose an order.
  }
  return run();
}

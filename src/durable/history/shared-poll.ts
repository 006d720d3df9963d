/** `sharePolls`: calls that come while one runs share the next. */

/** At most one runs and one is next, however many ask: each asker gets one that began after it asked. */
export function sharePolls<T>(poll: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  const start = () => {
    next = undefined;
    const started = poll().finally(() => {
      if (running === started) running = undefined;
    });
    running = started;
    return started;
  };

  return () => {
    if (running === undefined) return start();
    next ??= running.then(start, start);
    return next;
  };
}

/** `sharePolls`: calls that arrive while a poll runs share the next one. */

import type { Time } from '../../core/time/sleep.js';

/** The least time between the starts of two polls, if the second waited for the first. */
interface Spacing {
  readonly time: Time;
  readonly ms: number;
}

/**
 * At most one poll runs and one waits, however many callers there are. Each caller gets one that
 * began after its call, so it sees everything that the history showed at that moment.
 */
export function sharePolls<T>(poll: () => Promise<T>, spacing?: Spacing): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  let startedAt = 0;

  const start = () => {
    next = undefined;
    startedAt = spacing?.time.clock() ?? 0;
    const started = poll().finally(() => {
      if (running === started) running = undefined;
    });
    running = started;
    return started;
  };
  const startSpaced = async () => {
    if (spacing !== undefined) {
      const { time, ms } = spacing;
      // A clock that was set back must not hold up the poll for longer.
      const waitMs = Math.min(ms, startedAt + ms - time.clock());
      if (waitMs > 0) await time.sleep(waitMs, new AbortController().signal);
    }
    return start();
  };

  return () => {
    if (next !== undefined) return next;
    if (running === undefined) return start();
    next = running.then(startSpaced, startSpaced);
    return next;
  };
}

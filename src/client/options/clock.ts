/** Clock, and the clocks that the client measures spans of time with. */

/** Source of wall-clock time in milliseconds since the Unix epoch. */
export type Clock = () => number;

/** Milliseconds that only grow. Shared, so that clients can compare their clocks by identity. */
export const monotonicNow: Clock = () => performance.now();

const forwardClocks = new WeakMap<Clock, Clock>();

/**
 * A caller's clock for measuring: a jump back would stretch every deadline, so that step counts the
 * real time instead. The same clock always gives the same function.
 */
export function forwardOnly(clock: Clock): Clock {
  const known = forwardClocks.get(clock);
  if (known !== undefined) return known;
  let last: { readonly ms: number; readonly realMs: number; readonly nowMs: number } | undefined;
  const forward = () => {
    const [ms, realMs] = [clock(), monotonicNow()];
    const before = last ?? { ms, realMs, nowMs: ms };
    const passedMs = ms >= before.ms ? ms - before.ms : realMs - before.realMs;
    last = { ms, realMs, nowMs: before.nowMs + passedMs };
    return last.nowMs;
  };
  forwardClocks.set(clock, forward);
  return forward;
}

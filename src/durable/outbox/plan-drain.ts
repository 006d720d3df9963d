/** `planDrain`: how a drain shares its time between orders and callbacks. */

/** Moments in Unix milliseconds. */
export interface DrainPlan {
  /** Orders that are still running are released. The time after it is for their callbacks. */
  readonly ordersUntil: number;
  /** A callback that is cut off loses an attempt, so none is started after this. */
  readonly lastCallbackStart: number;
  readonly until: number;
}

/** The last quarter is for callbacks only, unless that is longer than one callback may run. */
export function planDrain(maxMs: number, now: number, callbackTimeoutMs: number): DrainPlan {
  const until = now + maxMs;
  const callbacksMs = Math.min(maxMs / 4, callbackTimeoutMs);
  return { ordersUntil: until - callbacksMs, lastCallbackStart: until - callbacksMs / 2, until };
}

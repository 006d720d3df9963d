/** `planDrain`: how a drain shares its time between orders and callbacks. */

import { startTimeout } from '../../time/timeout.js';
import type { Time } from '../../time/sleep.js';

/**
 * Signals that fire at the moments of a drain. By timers: a clock that is set meanwhile moves none of them.
 * The last quarter is for callbacks only, unless that is longer than one callback may run.
 */
export function planDrain(time: Time, maxMs: number, callbackTimeoutMs: number) {
  const callbacksMs = Math.min(maxMs / 4, callbackTimeoutMs);
  const orders = startTimeout(time, maxMs - callbacksMs);
  const lastCallback = startTimeout(time, maxMs - callbacksMs / 2);
  const end = startTimeout(time, maxMs);
  return {
    /** Orders that are still running are released. The time after it is for their callbacks. */
    ordersEnd: orders.signal,
    /** A callback that is cut off loses an attempt, so none is started after this. */
    lastCallbackStart: lastCallback.signal,
    end: end.signal,
    clear: () => Promise.all([orders, lastCallback, end].map((timeout) => timeout.clear())),
  };
}

/** afterTurn and afterReading: run work in a later turn of the event loop. */

/** Those of before any test faked them. */
const { setImmediate: real, setTimeout: realTimeout } = globalThis;

/**
 * Between two turns the loop reads what lies in its sockets. In a callback of I/O the first turn comes before
 * that.
 */
export function afterTurn(work: () => void): void {
  if (hasRealTurns()) real(work);
  else work();
}

/** After more than a turn, in which the loop has read what lies in its sockets. */
export function afterReading(work: () => void): void {
  if (hasRealTurns()) realTimeout(() => real(work), 1);
  else work();
}

/** Browsers have no such turns, and in a test's own time nothing happens before the test moves its clock. */
function hasRealTurns(): boolean {
  const { setImmediate, setTimeout } = globalThis as Partial<typeof globalThis>;
  return setImmediate !== undefined && setImmediate === real && setTimeout === realTimeout;
}

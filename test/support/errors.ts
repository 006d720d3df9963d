/** rejectionOf and thrownBy: the error with which an asynchronous or a synchronous action ends. */

import type { MarketError } from 'market-partner-sdk';

/** The error with which a call rejects. A call that throws instead, or succeeds, fails the test. */
export async function rejectionOf(call: PromiseLike<unknown>): Promise<MarketError> {
  try {
    await call;
  } catch (error) {
    return error as MarketError;
  }
  throw new Error('the promise was not rejected');
}

/** The error that an action throws. An action that returns, or throws another type, fails the test. */
export function thrownBy<E extends Error = Error>(
  action: () => unknown,
  type: abstract new (...args: never[]) => E = Error as never,
): E {
  try {
    action();
  } catch (error) {
    if (error instanceof type) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

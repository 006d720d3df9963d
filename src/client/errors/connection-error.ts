/** Errors of calls that got no complete response: ConnectionError, TimeoutError, AbortedError. */

import { brandClass, setFacts } from '../../core/errors/package-error.js';
import type { ErrorResponse, ResponseFacts } from './response-facts.js';
import { MarketError, type CallFacts } from './market-error.js';

/**
 * No complete response arrived: the connection was refused, reset or cut in the middle of a body.
 * `outcome` says whether the service may have acted; `cause` is the network's error.
 *
 * @example
 * ```ts
 * import { ConnectionError, MarketClient } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * try {
 *   await market.orders.refund({ public_id: 'ord_1001' });
 * } catch (error) {
 *   if (!(error instanceof ConnectionError)) throw error;
 *   if (error.outcome === 'not_sent') throw error;
 *   const { status } = await market.orders.get('ord_1001');
 *   console.log('the refund may have been made: the order is', status);
 * }
 * ```
 */
export class ConnectionError extends MarketError {
  /** The head of a response whose body broke off. */
  declare readonly response?: ErrorResponse;

  static {
    brandClass(this, 'ConnectionError');
  }

  constructor(message: string, facts: ResponseFacts = {}, options?: { cause?: unknown }) {
    super(message, facts, options);
  }
}

/**
 * An attempt (`timeoutMs`) or the whole call (`deadlineMs`) ran out of time. Once it was sent, a
 * call may have been done: see `outcome`.
 *
 * @example
 * ```ts
 * import { MarketClient, TimeoutError } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * try {
 *   await market.orders.waitFor('ord_1001', { until: 'SETTLED', deadlineMs: 60_000 });
 * } catch (error) {
 *   if (!(error instanceof TimeoutError)) throw error;
 *   console.log(error.which, 'ran out; the order itself is not affected');
 * }
 * ```
 */
export class TimeoutError extends ConnectionError {
  /** Which limit it was. */
  declare readonly which: 'attempt' | 'deadline';

  static {
    brandClass(this, 'TimeoutError');
  }

  constructor(
    message: string,
    facts: { which: 'attempt' | 'deadline' } & ResponseFacts,
    options?: { cause?: unknown },
  ) {
    const { which, ...others } = facts;
    super(message, others, options);
    setFacts(this, { which });
  }
}

/**
 * The caller's signal fired. `cause` is the signal's reason. An abort does not undo what was sent:
 * see `outcome`.
 *
 * @example
 * ```ts
 * import { AbortedError, MarketClient } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const leaving = new AbortController();
 * const search = market.domains.search('coffee shop', { signal: leaving.signal });
 * leaving.abort(new Error('the visitor left'));
 * try {
 *   await search;
 * } catch (error) {
 *   if (!(error instanceof AbortedError)) throw error;
 *   console.log(error.cause);
 * }
 * ```
 */
export class AbortedError extends MarketError {
  static {
    brandClass(this, 'AbortedError');
  }

  constructor(message: string, facts: CallFacts = {}, options?: { cause?: unknown }) {
    super(message, facts, options);
  }
}

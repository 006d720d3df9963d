/** MarketError: the root of the client's errors, and the facts that every error of a call carries. */

import { escapeInvisible } from '../../core/errors/escape-invisible.js';
import { brandClass, PackageError } from '../../core/errors/package-error.js';

/**
 * What is known about the work that a call asked for:
 * - `'not_sent'`: the service cannot have acted.
 * - `'rejected'`: the service responded with a refusal.
 * - `'unknown'`: the service may have acted; check before you retry. An order goes to
 *   `orders.resume`, with the stored input and key.
 *
 * A call of several attempts has the worst outcome of any of them: an order that was refused at
 * the second attempt may still have been recorded by the first, if that one got no response.
 */
export type CallOutcome = 'not_sent' | 'rejected' | 'unknown';

/** The facts of the call that an error belongs to. */
export interface CallFacts {
  /** HTTP method, upper-case. */
  readonly method?: string | undefined;
  /** Path on the wire, without the query. */
  readonly path?: string | undefined;
  /** Attempts that were started, the first included. `0` when nothing was sent. */
  readonly attempts?: number | undefined;
  /** The nonce of each attempt, in order: the service's support finds a request by it. */
  readonly nonces?: readonly string[] | undefined;
  /**
   * The Idempotency-Key of the call, when one was sent, or was passed and valid. On `orders.create`, the same input with it
   * replays the first response while the service remembers the key; on other calls the service promises nothing for it.
   */
  readonly idempotencyKey?: string | undefined;
  /** What is known about the work that the call asked for. */
  readonly outcome?: CallOutcome | undefined;
  /**
   * The end of `message`: what the caller of the method can do next. A layer that repeats calls by
   * itself, as the outbox does, leaves it out of its own messages. Not enumerable.
   */
  readonly advice?: string | undefined;
}

/**
 * Every error that this package throws on purpose. Catch this to catch them all.
 *
 * @example
 * ```ts
 * import { MarketClient, MarketError } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * try {
 *   await market.orders.create({ domain: 'brew.example', expected_price: 250_000, currency: 'USD' });
 * } catch (error) {
 *   if (error instanceof MarketError && error.outcome === 'unknown') {
 *     console.log('the order may exist: give it to orders.resume', error.idempotencyKey);
 *   }
 * }
 * ```
 */
export class MarketError extends PackageError implements CallFacts {
  declare readonly method?: string;
  declare readonly path?: string;
  declare readonly attempts?: number;
  declare readonly nonces?: readonly string[];
  declare readonly idempotencyKey?: string;
  declare readonly outcome?: CallOutcome;
  declare readonly advice?: string;

  static {
    brandClass(this, 'MarketError');
  }

  constructor(message: string, facts: CallFacts = {}, options?: { cause?: unknown }) {
    const { advice, ...others } = facts;
    super(advice === undefined ? message : `${message} ${advice}`, others, options);
    if (advice !== undefined) {
      // Not enumerable: a log line that has the message has it already.
      const value = escapeInvisible(advice);
      Object.defineProperty(this, 'advice', { value, configurable: true, writable: true });
    }
  }
}

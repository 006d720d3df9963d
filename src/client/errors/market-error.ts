/**
 * The root of the error tree, and the facts that every error of a call carries.
 *
 * Classes are recognized by a brand on their prototype, not by identity: a program that loads the
 * package both as ESM and as CommonJS has two copies of each class, and `instanceof` must hold
 * across them. The brand is also the `name`, so that it survives minifying.
 */

import { describeCause } from './cause.js';
import { escapeInvisible } from './escape-invisible.js';

const brand = Symbol.for('market-partner-sdk.error');
const inspect = Symbol.for('nodejs.util.inspect.custom');

/**
 * What is known about the work that a call asked for:
 * - `'not_sent'`: the service cannot have acted.
 * - `'rejected'`: the service responded with a refusal.
 * - `'unknown'`: the service may have acted; check before you repeat it. An order goes to
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
export class MarketError extends Error implements CallFacts {
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
    super(escapeInvisible(advice === undefined ? message : `${message} ${advice}`), options);
    if (advice !== undefined) {
      // Not enumerable: a log line that has the message has it already.
      Object.defineProperty(this, 'advice', { value: escapeInvisible(advice), configurable: true });
    }
    assignFacts(this, others);
  }

  /** Recognized by a brand: this holds across the ESM and the CommonJS copy of the class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const kind = brandOf(this.prototype);
    // A partner's own subclass has no brand of its own and is recognized by identity.
    if (kind === undefined) return Function.prototype[Symbol.hasInstance].call(this, value);
    return brandChain(value).includes(kind);
  }

  /** The error as plain data for a log line: name, message, facts, and the cause in brief. */
  toJSON(): Record<string, unknown> {
    const cause = describeCause(this.cause);
    return {
      name: this.name,
      message: this.message,
      ...(this as CallFacts),
      ...(cause === undefined ? {} : { cause }),
    };
  }

  /** @internal The stack and the facts, with the cause in brief: a cause may hold a whole request. */
  [inspect](_depth: number, options: object, format?: (value: unknown, options: object) => string) {
    const cause = describeCause(this.cause);
    const facts = { ...(this as CallFacts), ...(cause === undefined ? {} : { cause }) };
    const stack = this.stack ?? `${this.name}: ${this.message}`;
    return format === undefined ? stack : `${stack} ${format(facts, options)}`;
  }
}

/** Gives a class its name and the brand by which `instanceof` knows it. */
export function brandClass(errorClass: { readonly prototype: object }, name: string): void {
  // Node prints the class of an uncaught error, and pino that of `err`: minified, it would be "Ye".
  Object.defineProperty(errorClass, 'name', { value: name, configurable: true });
  for (const key of [brand, 'name']) {
    Object.defineProperty(errorClass.prototype, key, { value: name, configurable: true });
  }
}

/** Sets the facts that are known as enumerable fields; unknown ones are left absent. */
export function assignFacts(error: object, facts: object): void {
  for (const [key, value] of Object.entries(facts)) {
    if (value !== undefined) {
      Object.defineProperty(error, key, { value, enumerable: true, configurable: true });
    }
  }
}

function brandOf(prototype: object): unknown {
  return Object.getOwnPropertyDescriptor(prototype, brand)?.value as unknown;
}

function brandChain(value: unknown): unknown[] {
  const brands: unknown[] = [];
  if (typeof value !== 'object') return brands;
  for (let at: unknown = value; at !== null; at = Object.getPrototypeOf(at)) {
    brands.push(brandOf(at as object));
  }
  return brands;
}

/** Calls that ended without an answer of this API: a broken connection, time, an abort, a stranger's answer. */

import type { AnswerFacts } from './api-error.js';
import { assignFacts, brandAs, MarketError, type CallFacts } from './market-error.js';

/**
 * No complete answer arrived: the connection was refused, reset or cut in the middle of a body.
 * `outcome` tells whether the service may have acted.
 */
export class ConnectionError extends MarketError {
  /** The status of an answer whose body broke off. */
  declare readonly status?: number;
  declare readonly headers?: Readonly<Record<string, string>>;

  static {
    brandAs(this, 'ConnectionError');
  }

  constructor(message: string, facts: AnswerFacts = {}, options?: { cause?: unknown }) {
    super(message, {}, options);
    assignFacts(this, facts);
  }
}

/** An attempt (`timeoutMs`) or the whole call (`deadlineMs`) ran out of time. */
export class TimeoutError extends ConnectionError {
  /** Which limit it was. */
  declare readonly which: 'attempt' | 'deadline';

  static {
    brandAs(this, 'TimeoutError');
  }

  constructor(
    message: string,
    facts: { which: 'attempt' | 'deadline' } & AnswerFacts,
    options?: { cause?: unknown },
  ) {
    const { which, ...others } = facts;
    super(message, others, options);
    assignFacts(this, { which });
  }
}

/** The caller's signal fired. `cause` is the signal's reason. */
export class AbortedError extends MarketError {
  static {
    brandAs(this, 'AbortedError');
  }

  constructor(message: string, facts: CallFacts = {}, options?: { cause?: unknown }) {
    super(message, facts, options);
  }
}

/** An answer that is not this API's: HTML, a redirect, a success that is not JSON. */
export class UnexpectedResponseError extends MarketError implements AnswerFacts {
  declare readonly status: number;
  declare readonly requestId?: string;
  declare readonly headers: Readonly<Record<string, string>>;
  /** The first 2,000 characters of the body. */
  declare readonly body?: unknown;

  static {
    brandAs(this, 'UnexpectedResponseError');
  }

  constructor(message: string, facts: AnswerFacts = {}, options?: { cause?: unknown }) {
    super(message, {}, options);
    assignFacts(this, facts);
  }
}

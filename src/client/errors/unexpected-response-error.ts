/** UnexpectedResponseError: a response that is not this API's. */

import { brandClass } from '../../core/errors/package-error.js';
import type { ErrorResponse, ResponseFacts } from './response-facts.js';
import { MarketError } from './market-error.js';

/**
 * A response that is not this API's: HTML, a redirect, a success that is not JSON. A gateway or proxy
 * may have sent it in the service's place, or `baseUrl` is another address.
 *
 * @example
 * ```ts
 * import { MarketClient, UnexpectedResponseError } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * try {
 *   await market.domains.search('coffee shop');
 * } catch (error) {
 *   if (!(error instanceof UnexpectedResponseError)) throw error;
 *   const { status, headers } = error.response;
 *   console.log(status, headers['content-type'], error.body);
 * }
 * ```
 */
export class UnexpectedResponseError extends MarketError implements ResponseFacts {
  declare readonly response: ErrorResponse;
  declare readonly requestId?: string;
  /** The first 2,000 characters of the body. */
  declare readonly body?: unknown;

  static {
    brandClass(this, 'UnexpectedResponseError');
  }

  constructor(message: string, facts: ResponseFacts = {}, options?: { cause?: unknown }) {
    super(message, facts, options);
  }
}

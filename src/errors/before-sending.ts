/** What is refused before a byte is sent: a client that cannot work, and input that breaks a rule. */

import { assignFacts, brandAs, MarketError, type CallFacts } from './market-error.js';

/**
 * An option of the client is missing or wrong, or the client may not run here.
 *
 * @example
 * ```ts
 * import { ConfigurationError, MarketClient } from 'market-partner-sdk';
 *
 * try {
 *   new MarketClient({ baseUrl: 'http://market.example' });
 * } catch (error) {
 *   if (error instanceof ConfigurationError) console.log(error.option, error.variable);
 * }
 * ```
 */
export class ConfigurationError extends MarketError {
  /** The option, as it is spelt in the constructor. */
  declare readonly option?: string;
  /** The environment variable that can hold the option. */
  declare readonly variable?: string;

  static {
    brandAs(this, 'ConfigurationError');
  }

  constructor(
    message: string,
    facts: { option?: string | undefined; variable?: string | undefined } & CallFacts = {},
    options?: { cause?: unknown },
  ) {
    super(message, {}, options);
    assignFacts(this, facts);
  }
}

/** One rule that the input breaks. */
export interface InputIssue {
  /** Where, in the service's spelling: `'expected_price'`, `'buyer.country'`. */
  readonly path: string;
  /** The rule, in a sentence. It never repeats a secret. */
  readonly message: string;
}

/**
 * Input that was refused before anything was sent: `outcome` is always `'not_sent'`.
 *
 * @example
 * ```ts
 * import { InvalidRequestError, MarketClient } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * try {
 *   await market.domains.getPricing('https://brew.example/');
 * } catch (error) {
 *   if (error instanceof InvalidRequestError) {
 *     for (const { path, message } of error.issues) console.log(path, message);
 *   }
 * }
 * ```
 */
export class InvalidRequestError extends MarketError {
  /** Every rule that was broken, in the order of the input's documented fields. */
  declare readonly issues: readonly InputIssue[];

  static {
    brandAs(this, 'InvalidRequestError');
  }

  constructor(issues: readonly InputIssue[], facts: CallFacts = {}, options?: { cause?: unknown }) {
    const call = [facts.method, facts.path].filter((part) => part !== undefined).join(' ');
    const rules = issues.map(({ path, message }) => `"${path}" ${message}`).join('; ');
    super(`${call === '' ? '' : `${call}: `}${rules}. Nothing was sent.`, {}, options);
    assignFacts(this, { ...facts, attempts: 0, outcome: 'not_sent', issues });
  }
}

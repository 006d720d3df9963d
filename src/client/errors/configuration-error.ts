/** ConfigurationError: an option of the client is missing or wrong. */

import { brandClass } from '../../core/errors/package-error.js';
import { MarketError, type CallFacts } from './market-error.js';

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
  /** The option, as the constructor spells it. */
  declare readonly option?: string;
  /** The environment variable that can hold the option. */
  declare readonly variable?: string;

  static {
    brandClass(this, 'ConfigurationError');
  }

  constructor(
    message: string,
    facts: { option?: string | undefined; variable?: string | undefined } & CallFacts = {},
    options?: { cause?: unknown },
  ) {
    super(message, facts, options);
  }
}

/** The environment variables that stand in for options. */
export const variableNames = {
  baseUrl: 'MARKET_BASE_URL',
  keyId: 'MARKET_KEY_ID',
  secret: 'MARKET_SECRET',
  profile: 'MARKET_PROFILE',
} as const;

/** The error of one broken rule: `rule` follows the name of the option that broke it. */
export function invalidOption(name: string, rule: string, cause?: unknown): ConfigurationError {
  const variable = (variableNames as Readonly<Record<string, string | undefined>>)[name];
  return new ConfigurationError(`"${name}" ${rule}`, { option: name, variable }, { cause });
}

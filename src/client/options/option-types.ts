/** checkTypes: every option of a client, and the type that its value must have. */

import { ConfigurationError } from '../errors/configuration-error.js';
import type { OptionErrorFactory } from './checks.js';
import type { ClientOptions } from './client-options.js';

/** The type of an option, and the rule in words. */
interface OptionType {
  readonly rule: string;
  readonly matches: (value: unknown) => boolean;
}

const isFunction: OptionType = {
  rule: 'must be a function',
  matches: (value) => typeof value === 'function',
};

const isString: OptionType = {
  rule: 'must be a string',
  matches: (value) => typeof value === 'string',
};

const isBoolean: OptionType = {
  rule: 'must be true or false',
  matches: (value) => typeof value === 'boolean',
};

const isSigner: OptionType = {
  rule: 'must be { keyId, sign() }',
  matches: (value) => isCallableOrObject(value) && typeof value.sign === 'function',
};

const isLogger: OptionType = {
  rule: 'must be an object whose debug, info, warn and error, where it has them, are functions',
  matches: (value) =>
    isCallableOrObject(value) &&
    ['debug', 'info', 'warn', 'error'].every((level) => {
      const method = value[level];
      return method === undefined || typeof method === 'function';
    }),
};

const isTracing: OptionType = {
  rule: 'must be what openTelemetry() of market-partner-sdk/opentelemetry returns',
  matches: (value) => isCallableOrObject(value) && typeof value.call === 'function',
};

const isDispatcher: OptionType = {
  rule: 'must have a dispatch method, as those of undici 7 have',
  matches: (value) => isCallableOrObject(value) && typeof value.dispatch === 'function',
};

const isHostList: OptionType = {
  rule: 'must be an array of host names, such as ["emulator"]',
  matches: (value) =>
    Array.isArray(value) &&
    value.every(
      (host) => typeof host === 'string' && /^([a-z0-9.-]+|\[[0-9a-f:.]+\])$/i.test(host),
    ),
};

const isValidationMode: OptionType = {
  rule: 'must be "off", "warn" or "error"',
  matches: (value) => value === 'off' || value === 'warn' || value === 'error',
};

/** Every option. Those without a type are checked where they are read. */
export const optionTypes: Readonly<Record<keyof ClientOptions, OptionType | undefined>> = {
  baseUrl: undefined,
  keyId: undefined,
  secret: undefined,
  credentials: isFunction,
  signer: isSigner,
  timeoutMs: undefined,
  deadlineMs: undefined,
  maxRetries: undefined,
  maxRateLimitHoldMs: undefined,
  headers: undefined,
  validateResponses: isValidationMode,
  logger: isLogger,
  dispatcher: isDispatcher,
  fetch: isFunction,
  proxy: isString,
  clock: isFunction,
  random: isFunction,
  sleep: isFunction,
  tracing: isTracing,
  forbidLive: isBoolean,
  allowHttp: isHostList,
  dangerouslyAllowBrowser: isBoolean,
};

/** @throws {@link ConfigurationError} that names the option and its rule. */
export function checkTypes(options: ClientOptions): void {
  for (const [option, type] of Object.entries(optionTypes)) {
    const value: unknown = options[option as keyof ClientOptions];
    if (value === undefined || type === undefined || type.matches(value)) continue;
    throw invalidOption(option, type.rule);
  }
}

export const invalidOption: OptionErrorFactory = (name, rule) =>
  new ConfigurationError(`"${name}" ${rule}`, { option: name });

function isCallableOrObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

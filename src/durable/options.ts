/** What the options of the durable part share: how they are checked, and the default logger. */

import { safeLogger, type Logger, type SafeLogger } from '../logger.js';
import {
  checkOptions,
  loggerLike,
  required,
  wholeNumber,
  type OptionCheck,
  type OptionErrorFactory,
  type OptionTable,
} from '../options.js';
import { DurableConfigurationError } from './errors.js';

export const invalidOption: OptionErrorFactory = (name, rule) =>
  new DurableConfigurationError(`"${name}" ${rule}.`);

/**
 * @param within - the option that holds these options, if one does
 * @throws {@link DurableConfigurationError}
 */
export function checkDurableOptions<T extends object>(
  table: OptionTable<NoInfer<T>>,
  options: T,
  within?: string,
): T {
  return checkOptions<T>(table, options, invalidOption, within === undefined ? {} : { within });
}

/** Checks the options of `stop`, of an inbox and of an outbox. */
export function checkStop(options: { readonly graceMs?: number | undefined }): {
  readonly graceMs?: number | undefined;
} {
  return checkDurableOptions({ graceMs: wholeNumber(0) }, options);
}

/** Checks the options of `drain`, of an inbox and of an outbox. */
export function checkDrain(options: { readonly maxMs: number }): { readonly maxMs: number } {
  return checkDurableOptions({ maxMs: required(wholeNumber(1)) }, options);
}

export const loggerCheck: OptionCheck = (value) =>
  value === false ? undefined : loggerLike(value);

const consoleLogger: Logger = {
  warn: (message, fields) => console.warn(message, fields),
  error: (message, fields) => console.error(message, fields),
};

/** Failures are loud by default: a refused sale that no one notices costs money. */
export function resolveLogger(logger: Logger | false | undefined): SafeLogger {
  if (logger === false) return safeLogger(undefined);
  return safeLogger(logger ?? consoleLogger);
}

/** What the options of the durable part share: the error of a wrong one, and the default logger. */

import { safeLogger, type Logger, type SafeLogger } from '../logger.js';
import { loggerLike, type OptionCheck, type OptionErrorFactory } from '../options.js';
import { DurableConfigurationError } from './errors.js';

export const invalidOption: OptionErrorFactory = (name, rule) =>
  new DurableConfigurationError(`"${name}" ${rule}.`);

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

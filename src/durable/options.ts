/** Checks of options: each error names the option and its rule. */

import { safeLogger, type Logger, type SafeLogger } from '../logger.js';
import type { OptionErrorFactory } from '../options.js';
import type { TimeOptions } from './queue/time.js';
import { DurableConfigurationError } from './errors.js';

export const invalidOption: OptionErrorFactory = (name, rule) =>
  new DurableConfigurationError(`"${name}" ${rule}.`);

/** Refuses an option that does not exist: a misspelled one would be ignored. */
export function checkKnownOptions(options: unknown, known: readonly string[], prefix = ''): void {
  if (typeof options !== 'object' || options === null) {
    const what = prefix === '' ? 'The options' : `"${prefix.slice(0, -1)}"`;
    throw new DurableConfigurationError(`${what} must be an object.`);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new DurableConfigurationError(
    `"${prefix}${unknown}" is not an option. The options are ${known.join(', ')}.`,
  );
}

export function checkNumber(value: unknown, name: string, least: number): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least) return;
  throw new DurableConfigurationError(`"${name}" must be a whole number from ${least} up.`);
}

export function checkFunction(value: unknown, name: string): void {
  if (value === undefined || typeof value === 'function') return;
  throw new DurableConfigurationError(`"${name}" must be a function.`);
}

export function checkBoolean(value: unknown, name: string): void {
  if (value === undefined || typeof value === 'boolean') return;
  throw new DurableConfigurationError(`"${name}" must be true or false.`);
}

export function checkSignal(value: unknown, name: string): void {
  const { aborted, addEventListener } = Object(value) as Partial<AbortSignal>;
  if (typeof aborted === 'boolean' && typeof addEventListener === 'function') return;
  if (value === undefined) return;
  throw new DurableConfigurationError(`"${name}" must be an AbortSignal.`);
}

/** The options that every engine has beside its own. */
export function checkTime({ clock, sleep }: TimeOptions): void {
  checkFunction(clock, 'clock');
  checkFunction(sleep, 'sleep');
}

/** A consumer's name is part of its queue's name. */
export function checkName(name: unknown): void {
  if (typeof name === 'string' && /^[A-Za-z0-9-]{1,40}$/.test(name)) return;
  throw new DurableConfigurationError('"name" must be 1 to 40 letters, digits or hyphens.');
}

/** @param methods - what the object must have, so that a wrong one is refused at once. */
export function checkObject(value: unknown, name: string, methods: readonly string[]): void {
  const missing = methods.find((path) => {
    const keys = path.split('.');
    const found = keys.reduce<unknown>(
      (at, key) => (Object(at) as Record<string, unknown>)[key],
      value,
    );
    return typeof found !== 'function';
  });
  if (missing === undefined) return;
  throw new DurableConfigurationError(`"${name}" must have a method "${missing}".`);
}

export function checkTracing(tracing: unknown): void {
  if (tracing === undefined || (typeof tracing === 'object' && tracing !== null)) return;
  throw new DurableConfigurationError('"tracing" must be what openTelemetry(api) returns.');
}

const consoleLogger: Logger = {
  warn: (message, fields) => console.warn(message, fields),
  error: (message, fields) => console.error(message, fields),
};

/** Failures are loud by default: a refused sale that no one hears of costs money. */
export function resolveLogger(logger: Logger | false | undefined): SafeLogger {
  if (logger === false) return safeLogger(undefined);
  return safeLogger(logger ?? consoleLogger);
}

/** What the options of the durable part share: how they are checked, and schemas of those that several have. */

import * as z from 'zod/mini';
import { safeLogger, type Logger } from '../core/logger.js';
import {
  callback,
  checkOptions,
  lazily,
  logger,
  optional,
  strict,
  string,
  text,
  wholeNumber,
  withDefault,
  withMethods,
  type Fields,
  type LazySchema,
  type OptionErrorFactory,
  type Output,
} from '../core/schema/options.js';
import type { TimeOptions } from '../core/time/sleep.js';
import { DurableConfigurationError } from './errors.js';
import { textRule } from './queue/check-jobs.js';
import type { QueueEngine } from './queue/engine.js';

export const invalidOption: OptionErrorFactory = (name, rule, cause) =>
  new DurableConfigurationError(`"${name}" ${rule}.`, {}, { cause });

/**
 * @param within - what is checked, unless that is an object of options
 * @throws {@link DurableConfigurationError}
 */
export function checkDurableOptions<S extends LazySchema>(
  schema: S,
  given: unknown,
  within?: string,
): Output<S> {
  return checkOptions(schema, given, invalidOption, { within }) as Output<S>;
}

/** The options of `stop`, of an inbox and of an outbox. */
export const stopSchema = lazily(() => strict({ graceMs: optional(wholeNumber(0)) }));

/** The options of `drain`, of an inbox and of an outbox. */
export const drainSchema = lazily(() => strict({ maxMs: wholeNumber(1) }));

export const timeFields = () =>
  ({
    clock: optional(callback<TimeOptions['clock']>()),
    sleep: optional(callback<TimeOptions['sleep']>()),
  }) satisfies Fields<TimeOptions>;

/** For jitter. Looked up at each use: a test may replace it. */
export const random = () => withDefault(callback<() => number>(), () => Math.random());

export const engine = <Tx, AddTx>() => withMethods<QueueEngine<Tx, AddTx>>('open', 'listQueues');

/** The reason that a person or a program gives for a decision. It is stored. */
export function reason() {
  const error = ({ input }: { readonly input?: unknown }) => textRule(input);
  return text().check(z.refine((value) => textRule(value) === undefined, { error }));
}

export const reasonSchema = lazily(reason);

/** A key or an id. Of one that is `undefined`, "there is none" would have a buyer paid back. */
export const idSchema = lazily(string);

const consoleLogger: Logger = {
  warn: (message, fields) => console.warn(message, fields),
  error: (message, fields) => console.error(message, fields),
};

/** Failures are loud by default: a refused sale that no one notices costs money. */
export function loggerOrFalse() {
  const toLogger = z.transform((given) => (given === false ? {} : given));
  const toSafe = z.transform((own: Logger) => safeLogger(own));
  return withDefault(z.pipe(z.pipe(toLogger, logger()), toSafe), safeLogger(consoleLogger));
}

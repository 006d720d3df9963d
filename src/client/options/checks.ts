/** Checks of options that the client and its calls share. */

import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { MarketError } from '../errors/market-error.js';
import { intendedName } from '../input/field-names.js';
import { isPlainObject, isRecord } from '../json.js';

/** The limits of a call. */
export interface Limits {
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly maxRetries: number;
}

/** Creates the error of a broken rule: a ConfigurationError of the client, or an InvalidRequestError. */
export type OptionErrorFactory = (name: string, rule: string) => Error;

export const invalidRequest: OptionErrorFactory = (name, rule) =>
  new InvalidRequestError([{ path: name, message: rule }]);

export const defaultLimits: Limits = { timeoutMs: 30_000, deadlineMs: 120_000, maxRetries: 2 };

/** The limits of `base`, replaced by those of `options`. */
export function mergeLimits(
  options: { readonly [Name in keyof Limits]?: number | undefined },
  base: Limits,
  invalid: OptionErrorFactory,
): Limits {
  const merged = {
    timeoutMs: options.timeoutMs ?? base.timeoutMs,
    deadlineMs: options.deadlineMs ?? base.deadlineMs,
    maxRetries: options.maxRetries ?? base.maxRetries,
  };
  checkMilliseconds('timeoutMs', merged.timeoutMs, invalid);
  checkMilliseconds('deadlineMs', merged.deadlineMs, invalid);
  if (!Number.isInteger(merged.maxRetries) || merged.maxRetries < 0 || merged.maxRetries > 100) {
    throw invalid('maxRetries', 'must be a whole number from 0 to 100');
  }
  return merged;
}

/** Timers count in 32 bits; a longer delay would end at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Refuses a duration that no timer can wait for. */
export function checkMilliseconds(name: string, value: unknown, invalid: OptionErrorFactory): void {
  if (typeof value === 'number' && value > 0 && value <= longestTimerMs) return;
  throw invalid(name, `must be a number of milliseconds above 0, at most ${longestTimerMs}`);
}

/** Headers that belong to the signature, to the body or to the connection. */
const reservedHeaders = new Set([
  'x-market-key-id',
  'x-market-timestamp',
  'x-market-nonce',
  'x-market-signature',
  'idempotency-key',
  'accept-encoding',
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'host',
  'connection',
  'proxy-connection',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);

/** A frozen copy with names in lower case. */
export function checkHeaders(
  headers: Readonly<Record<string, string>> | undefined,
  invalid: OptionErrorFactory,
): Readonly<Record<string, string>> {
  // Object.entries() of a Headers or a Map is empty: all of its headers would be lost.
  if (headers !== undefined && !isPlainObject(headers)) {
    throw invalid('headers', 'must be a plain object of names and values');
  }
  const checked: Record<string, string> = {};
  for (const [written, value] of readEntries('headers', headers ?? {}, invalid)) {
    const name = written.toLowerCase();
    if (reservedHeaders.has(name)) {
      const instead = name === 'idempotency-key' ? '; use the option "idempotencyKey"' : '';
      throw invalid(
        `headers.${written.slice(0, 100)}`,
        `is set by the client and cannot be replaced${instead}`,
      );
    }
    if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name)) {
      throw invalid(`headers.${written.slice(0, 100)}`, 'is not a header name');
    }
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw invalid(
        `headers.${written.slice(0, 100)}`,
        'must be a string without line breaks or control characters',
      );
    }
    checked[name] = value;
  }
  return Object.freeze(checked);
}

/** The entries of an option's value. A getter or a proxy of the caller's may throw. */
export function readEntries(
  option: string,
  value: Readonly<Record<string, unknown>>,
  invalid: OptionErrorFactory,
): [string, unknown][] {
  try {
    return Object.entries<unknown>(value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'one of them threw';
    throw invalid(option, `cannot be read: ${reason.slice(0, 200)}`);
  }
}

/**
 * A copy of the options, each read once: a getter cannot change a value after its check.
 *
 * @param names - the options that exist
 * @param rule - what the options must be, for what is no object
 */
export function readOptions(
  options: unknown,
  names: object,
  rule: string,
  invalid: OptionErrorFactory,
): Record<string, unknown> {
  let present: string[];
  const copy: Record<string, unknown> = {};
  try {
    if (!isOptionsObject(options)) throw invalid('options', rule);
    if ('then' in options)
      throw invalid('options', `${rule}; a Promise was passed: await it first`);
    present = Object.keys(options);
    for (const name of Object.keys(names)) {
      const value = options[name];
      if (value !== undefined) copy[name] = value;
    }
  } catch (error) {
    // A getter or a revoked proxy may throw anything.
    if (error instanceof MarketError) throw error;
    const reason = error instanceof Error ? error.message : 'one of them threw';
    throw invalid('options', `cannot be read: ${reason.slice(0, 200)}`);
  }
  rejectUnknownOptions(present, names, invalid);
  return copy;
}

/** A bare key, list or AbortSignal in the place of the options would be ignored. */
function isOptionsObject(options: unknown): options is Record<string, unknown> {
  return isRecord(options) && !('aborted' in options) && !(Symbol.iterator in options);
}

/**
 * Refuses an option that does not exist: the client would ignore `forbidLve` or `idempotency_key`,
 * unnoticed before a live key is used or an order is placed twice.
 */
function rejectUnknownOptions(
  present: readonly string[],
  names: object,
  invalid: OptionErrorFactory,
): void {
  const known = Object.keys(names);
  for (const name of present) {
    if (Object.hasOwn(names, name)) continue;
    const intended = intendedName(name, known);
    throw invalid(
      name.slice(0, 60),
      intended === undefined
        ? `is not an option; the options are ${known.join(', ')}`
        : `is not an option: did you mean "${intended}"?`,
    );
  }
}

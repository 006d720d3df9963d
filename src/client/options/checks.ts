/** Checks of options that the client and its calls share. */

import { isPlainObject } from '../../json.js';
import { milliseconds, wholeNumber, type OptionErrorFactory } from '../../options.js';

export interface Limits {
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly maxRetries: number;
}

export const defaultLimits: Limits = { timeoutMs: 30_000, deadlineMs: 120_000, maxRetries: 2 };

/** The checks of a call's limits, as a client and a call take them. */
export const limitOptions = {
  timeoutMs: milliseconds,
  deadlineMs: milliseconds,
  maxRetries: wholeNumber(0, 100),
};

/** The limits of `base`, replaced by those of `options`. */
export function mergeLimits(
  options: { readonly [Name in keyof Limits]?: number | undefined },
  base: Limits,
): Limits {
  return {
    timeoutMs: options.timeoutMs ?? base.timeoutMs,
    deadlineMs: options.deadlineMs ?? base.deadlineMs,
    maxRetries: options.maxRetries ?? base.maxRetries,
  };
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

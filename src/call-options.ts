/** The options that the client and each call have in common: limits and headers. */

import { InvalidRequestError } from './errors/before-sending.js';
import { isPlainObject } from './input/plain-object.js';

/** A call's limits, after the client's and the call's options are put together. */
export interface Limits {
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly maxRetries: number;
}

/** How a broken rule is told: as a configuration error of the client, or a refused call. */
export type Problem = (name: string, rule: string) => Error;

export const requestProblem: Problem = (name, rule) =>
  new InvalidRequestError([{ path: name, message: rule }]);

export const defaultLimits: Limits = { timeoutMs: 30_000, deadlineMs: 120_000, maxRetries: 2 };

/** The limits that `given` sets, over those of `base`. */
export function mergeLimits(
  given: { readonly [Name in keyof Limits]?: number | undefined },
  base: Limits,
  problem: Problem,
): Limits {
  const merged = {
    timeoutMs: given.timeoutMs ?? base.timeoutMs,
    deadlineMs: given.deadlineMs ?? base.deadlineMs,
    maxRetries: given.maxRetries ?? base.maxRetries,
  };
  checkMilliseconds('timeoutMs', merged.timeoutMs, problem);
  checkMilliseconds('deadlineMs', merged.deadlineMs, problem);
  if (!Number.isInteger(merged.maxRetries) || merged.maxRetries < 0 || merged.maxRetries > 100) {
    throw problem('maxRetries', 'must be a whole number from 0 to 100');
  }
  return merged;
}

/** Timers count in 32 bits: a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Refuses a length of time that no timer can wait for. */
export function checkMilliseconds(name: string, value: unknown, problem: Problem): void {
  if (typeof value === 'number' && value > 0 && value <= longestTimerMs) return;
  throw problem(name, `must be a number of milliseconds above 0, at most ${longestTimerMs}`);
}

/** Headers that belong to the signature, to the body or to the connection. */
const ownHeaders = new Set([
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
  problem: Problem,
): Readonly<Record<string, string>> {
  // A Headers or a Map has no members to list: it would be taken for no headers at all.
  if (headers !== undefined && !isPlainObject(headers)) {
    throw problem('headers', 'must be a plain object of names and values');
  }
  const checked: Record<string, string> = {};
  for (const [given, value] of Object.entries<unknown>(headers ?? {})) {
    const name = given.toLowerCase();
    if (ownHeaders.has(name)) {
      const instead = name === 'idempotency-key' ? '; give the option "idempotencyKey"' : '';
      throw problem(`headers.${given}`, `is set by the client and cannot be replaced${instead}`);
    }
    if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name)) {
      throw problem(`headers.${given}`, 'is not a header name');
    }
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw problem(
        `headers.${given}`,
        'must be a string without line breaks or control characters',
      );
    }
    checked[name] = value;
  }
  return Object.freeze(checked);
}

/**
 * Refuses a name that is an option's in another spelling: `idempotency_key` would otherwise be
 * ignored, and never be missed until an order is placed twice.
 */
export function refuseMisspelt(given: object, names: object, problem: Problem): void {
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(names, key)) continue;
    const meant = Object.keys(names).find((name) => folded(name) === folded(key));
    if (meant !== undefined) throw problem(key, `is not an option: it is spelt "${meant}"`);
  }
}

function folded(name: string): string {
  return name.replace(/[\s_-]/g, '').toLowerCase();
}

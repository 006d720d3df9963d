/** What `orders.resumeRefund` and `brokerage.resumeCase` share: options, the moment, and one repeat. */

import { lookUpPauseMs } from '../assumptions.js';
import type { Engine } from '../engine/engine.js';
import { MarketError } from '../errors/index.js';
import { checkMilliseconds, invalidRequest } from '../options/checks.js';
import { moment, toMs } from '../options/moment.js';
import { readRequestOptions, type RequestOptions } from '../options/request-options.js';
import type { CallResponse } from '../results/call-promise.js';
import { findCacheSign } from '../sale/proof.js';

/**
 * Options of `orders.resumeRefund` and `brokerage.resumeCase`.
 *
 * @example
 * ```ts
 * import type { ResumeWriteOptions } from 'market-partner-sdk';
 *
 * const options: ResumeWriteOptions = { repeat: 'accept', deadlineMs: 60_000 };
 * console.log(options.repeat);
 * ```
 */
export interface ResumeWriteOptions extends Omit<RequestOptions, 'idempotencyKey'> {
  /**
   * `'accept'`: if nothing of the request is visible, send it once more. The first one may still
   * arrive: you accept that it is then done twice. Default `'never'`: it only reads.
   */
  repeat?: 'never' | 'accept' | undefined;
}

/** Not known yet: call again later. */
export interface OpenResult {
  readonly state: 'open';
  readonly error: unknown;
  /** The service's Retry-After, in milliseconds: a lower bound. */
  readonly retryAfterMs: number | undefined;
}

/** The parts of the engine that a resumed write uses. */
export type ResumeEngine = Pick<Engine, 'deadline' | 'limits' | 'pathOf'>;

const optionNames = {
  repeat: true,
  signal: true,
  timeoutMs: true,
  deadlineMs: true,
  maxRetries: true,
  headers: true,
  context: true,
} as const satisfies Record<keyof ResumeWriteOptions, true>;

export function readResumeWriteOptions(options: unknown) {
  const { repeat = 'never', ...call } = readRequestOptions<ResumeWriteOptions>(
    options,
    optionNames,
    '{ repeat: "accept" }',
  );
  if (!['never', 'accept'].includes(repeat)) {
    throw invalidRequest('repeat', 'must be "never" or "accept"');
  }
  if (call.deadlineMs !== undefined)
    checkMilliseconds('deadlineMs', call.deadlineMs, invalidRequest);
  return { repeat, call };
}

/** When the caller began, in Unix milliseconds. */
export function readMoment(startedAt: unknown): number {
  const rule = moment(startedAt);
  if (rule !== undefined) throw invalidRequest('startedAt', rule);
  return toMs(startedAt);
}

export function openResult(error: unknown): OpenResult {
  const { retryAfterMs } = Object(error) as { retryAfterMs?: unknown };
  return {
    state: 'open',
    error,
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
  };
}

/** Looks a second time some seconds later, unless the first look ended it: a write may show late. */
export async function lookTwice<T>(
  look: () => Promise<T | undefined>,
  sleep: (ms: number) => PromiseLike<unknown>,
): Promise<T | undefined> {
  const first = await look();
  if (first !== undefined) return first;
  await sleep(lookUpPauseMs);
  return look();
}

/** @throws {@link MarketError} for a stored copy, which says nothing about now. */
export function assertFresh(what: string, response: CallResponse): void {
  const sign = findCacheSign(response);
  if (sign === undefined) return;
  throw new MarketError(`${what} proves nothing: the response ${sign}.`, { method: 'GET' });
}

/** Whether the service refused a write with a reason, about the write and not about its credential. */
export function isRefusal(error: unknown): boolean {
  const { code, status, outcome } = Object(error) as Record<string, unknown>;
  const isAboutTheWrite = status === 400 || status === 409 || status === 422;
  return typeof code === 'string' && isAboutTheWrite && outcome === 'rejected';
}

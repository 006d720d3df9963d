/** What `orders.resumeRefund` and `brokerage.resumeCase` share: options, the moment, and one repeat. */

import { readError } from '../../core/errors/read-error.js';
import { invalidRequest } from '../errors/invalid-request-error.js';
import { lookUpPauseMs } from '../assumptions.js';
import type { Endpoint } from '../endpoints.js';
import type { Engine } from '../engine/engine.js';
import { withCallContext } from '../engine/prepare.js';
import { MarketError } from '../errors/index.js';
import { checkInput, readFields, sentInput, unixMs } from '../input/index.js';
import type { LazySchema, Schema } from '../../core/schema/must.js';
import {
  readRequestOptions,
  sharedFields,
  type RequestOptions,
} from '../options/request-options.js';
import { lazily, oneOf, strict, withDefault, type Fields } from '../../core/schema/options.js';
import type { CallResponse } from '../results/call-promise.js';
import { findCacheSign } from '../sale/absence-proof.js';
import { readList, type ListToRead } from '../sale/read-list.js';

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

const resumeWriteOptions = lazily(() =>
  strict({
    ...sharedFields(),
    repeat: withDefault(oneOf('never', 'accept'), 'never'),
  } satisfies Fields<ResumeWriteOptions>),
);

/** A write to resume: `{ input, startedAt }`, whose input must have what it is found by. */
interface WriteToResume<Input, Field extends keyof Input & string> {
  readonly noun: string;
  readonly endpoint: Endpoint;
  readonly schema: LazySchema<Schema<Input>>;
  readonly findBy: Field;
}

export function checkResumeArguments<Input, Field extends keyof Input & string>(
  engine: ResumeEngine,
  { noun, endpoint, schema, findBy }: WriteToResume<Input, Field>,
  given: unknown,
  options: unknown,
) {
  try {
    const { repeat, ...call } = readRequestOptions(
      resumeWriteOptions,
      options,
      '{ repeat: "accept" }',
    );
    const fields = readFields(noun, given, 'input', 'startedAt');
    const input = sentInput(schema, fields.input);
    const foundBy = input[findBy];
    if (foundBy === undefined) throw invalidRequest(findBy, `is required to find the ${noun}`);
    const startedAtMs = checkInput(unixMs, fields.startedAt, 'startedAt');
    return { input, foundBy, startedAtMs, repeat, call };
  } catch (error) {
    throw withCallContext({ method: 'POST', path: engine.pathOf(endpoint) }, error);
  }
}

export function openResult(error: unknown): OpenResult {
  const { retryAfterMs } = readError(error);
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
  throw unproven(`${what} proves nothing: the response ${sign}.`);
}

/** The error of a read that does not show what became of the write. */
export function unproven(message: string): MarketError {
  return new MarketError(message, { method: 'GET' });
}

/** @throws {@link MarketError} if nothing is found in a list that may not be all of it. */
export async function searchList<T extends object>(
  list: Omit<ListToRead<T>, 'isForeign'> & { readonly nothing: string },
): Promise<readonly T[]> {
  const { kept, doubt } = await readList<T>({ ...list, isForeign: () => false });
  if (kept.length > 0 || doubt === undefined) return kept;
  throw unproven(`${list.nothing}, but the list ${doubt}.`);
}

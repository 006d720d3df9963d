/** checkMany: the availability of many domains, some at a time, in the order of the names. */

import { onAbort } from '../../core/time/signals.js';
import { checkInput, domainName } from '../input/index.js';
import type { Availability } from '../model/domains.js';
import {
  readRequestOptions,
  sharedFields,
  type RequestOptions,
} from '../options/request-options.js';
import {
  callback,
  lazily,
  must,
  optional,
  strict,
  wholeNumber,
  withDefault,
  type Fields,
} from '../../core/schema/options.js';

/**
 * Options of `domains.checkMany`.
 *
 * @example
 * ```ts
 * import { MarketClient, type CheckManyOptions } from 'market-partner-sdk';
 *
 * const options: CheckManyOptions = {
 *   concurrency: 4,
 *   onProgress: ({ done, total }) => console.log(`${done} of ${total}`),
 * };
 * const market = new MarketClient();
 * for await (const { domain, availability } of market.domains.checkMany(['brew.example'], options)) {
 *   console.log(domain, availability?.available);
 * }
 * ```
 */
export interface CheckManyOptions extends Omit<RequestOptions, 'idempotencyKey'> {
  /** Calls at the same time, from 1 to 64. Default: 8. */
  concurrency?: number | undefined;
  /** Called after each name, in the order of the names, before its result is yielded. */
  onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
}

/**
 * The response for one name, or the error of its call.
 *
 * @example
 * ```ts
 * import type { CheckResult } from 'market-partner-sdk';
 *
 * const label = ({ domain, availability, error }: CheckResult) =>
 *   availability === undefined ? `${domain}: ${String(error)}` : `${domain}: ${availability.available}`;
 * ```
 */
export type CheckResult =
  | { readonly domain: string; readonly availability: Availability; readonly error?: undefined }
  | { readonly domain: string; readonly availability?: undefined; readonly error: unknown };

type Check = (domain: string, options: RequestOptions) => PromiseLike<Availability>;

/** A result without the name as the caller wrote it, which another spelling may share. */
type Outcome = { readonly availability: Availability } | { readonly error: unknown };

const checkManyOptions = lazily(() =>
  strict({
    ...sharedFields(),
    concurrency: withDefault(wholeNumber(1, 64), 8),
    onProgress:
      optional(callback<(progress: { readonly done: number; readonly total: number }) => void>()),
  } satisfies Fields<CheckManyOptions>),
);

export async function* checkMany(
  check: Check,
  names: Iterable<string>,
  given: CheckManyOptions | undefined,
): AsyncGenerator<CheckResult, void, undefined> {
  const all = [...checkInput(nameList, names, 'names')];
  const checked = readRequestOptions(checkManyOptions, given, '{ concurrency: 4 }');
  const { concurrency, onProgress, signal, ...options } = checked;
  const abandoned = new AbortController();
  const stopListening = onAbort(signal, () => abandoned.abort(signal?.reason));
  const outcomes = new Map<unknown, Promise<Outcome>>();
  const ask = (name: string) => {
    const key = canonicalName(name);
    const known = outcomes.get(key);
    if (known !== undefined) return known;
    const outcome = toOutcome(check(name, { ...options, signal: abandoned.signal }));
    outcomes.set(key, outcome);
    return outcome;
  };
  try {
    let asked = 0;
    for (const [index, domain] of all.entries()) {
      // Never more calls than these are under way: the first of them is awaited below. One goes first, then two, so that
      // a service which limits them refuses few.
      const atOnce = Math.min(concurrency, index + 1);
      while (asked < Math.min(all.length, index + atOnce)) void ask(all[asked++] ?? '');
      const outcome = await ask(domain);
      if (signal?.aborted === true && 'error' in outcome) throw outcome.error;
      onProgress?.({ done: index + 1, total: all.length });
      yield { domain, ...outcome };
    }
  } finally {
    stopListening();
    // A loop that is left early waits for none of the calls that it began.
    abandoned.abort();
  }
}

const nameList = lazily(() =>
  must<Iterable<string>>('must be a list of domain names, such as an array or a Set', isList),
);

function isList(value: unknown): boolean {
  const { [Symbol.iterator]: iterator } = Object(value) as Partial<Iterable<unknown>>;
  return typeof value !== 'string' && typeof iterator === 'function';
}

/** One key for all spellings of a name; what is not a domain name is refused by its own call. */
function canonicalName(name: unknown): unknown {
  try {
    return checkInput(domainName, name, 'domain');
  } catch {
    return name;
  }
}

/** Never rejects: an error that is not read yet would count as unhandled. */
async function toOutcome(call: PromiseLike<Availability>): Promise<Outcome> {
  try {
    return { availability: await call };
  } catch (error) {
    return { error };
  }
}

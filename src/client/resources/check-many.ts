/** checkMany: the availability of many domains, some at a time, in the order of the names. */

import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { checkInput, domainName } from '../input/index.js';
import { isObject, isRecord } from '../json.js';
import type { Availability } from '../model/domains.js';
import type { RequestOptions } from '../options/request-options.js';

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

const defaultConcurrency = 8;
const maxConcurrency = 64;

export async function* checkMany(
  check: Check,
  names: Iterable<string>,
  options: CheckManyOptions = {},
): AsyncGenerator<CheckResult, void, undefined> {
  const all = readNames(names);
  checkOptions(options);
  const { concurrency = defaultConcurrency, onProgress, signal, ...requestOptions } = options;
  const abandoned = new AbortController();
  const abort = () => abandoned.abort(signal?.reason);
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort);
  const outcomes = new Map<unknown, Promise<Outcome>>();
  const ask = (name: string) => {
    const key = canonicalName(name);
    const known = outcomes.get(key);
    if (known !== undefined) return known;
    const outcome = settle(check(name, { ...requestOptions, signal: abandoned.signal }));
    outcomes.set(key, outcome);
    return outcome;
  };
  try {
    let asked = 0;
    for (const [index, domain] of all.entries()) {
      // Never more calls than these are under way: the first of them is awaited below.
      while (asked < Math.min(all.length, index + concurrency)) void ask(all[asked++] ?? '');
      const outcome = await ask(domain);
      if (signal?.aborted === true && 'error' in outcome) throw outcome.error;
      onProgress?.({ done: index + 1, total: all.length });
      yield { domain, ...outcome };
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    // A loop that is left early waits for none of the calls that it began.
    abandoned.abort();
  }
}

function readNames(names: unknown): string[] {
  const message = 'must be a list of domain names, such as an array or a Set';
  if (typeof names !== 'object' || names === null) throw invalid('names', message);
  try {
    return [...(names as Iterable<string>)];
  } catch (cause) {
    throw invalid('names', message, cause);
  }
}

function checkOptions(options: unknown): asserts options is CheckManyOptions {
  if (!isRecord(options)) throw invalid('options', 'must be an object of options');
  const { concurrency = defaultConcurrency, onProgress, signal } = options;
  const isWhole = typeof concurrency === 'number' && Number.isInteger(concurrency);
  if (!isWhole || concurrency < 1 || concurrency > maxConcurrency) {
    throw invalid('concurrency', `must be a whole number from 1 to ${maxConcurrency}`);
  }
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw invalid('onProgress', 'must be a function');
  }
  if (signal !== undefined && !(isObject(signal) && 'addEventListener' in signal)) {
    throw invalid('signal', 'must be an AbortSignal');
  }
}

/** One key for all spellings of a name; what is no domain name is refused by its own call. */
function canonicalName(name: unknown): unknown {
  try {
    return checkInput(domainName, name, 'domain');
  } catch {
    return name;
  }
}

/** Never rejects: an error that is not read yet would count as unhandled. */
async function settle(call: PromiseLike<Availability>): Promise<Outcome> {
  try {
    return { availability: await call };
  } catch (error) {
    return { error };
  }
}

function invalid(path: string, message: string, cause?: unknown): InvalidRequestError {
  return new InvalidRequestError([{ path, message }], {}, { cause });
}

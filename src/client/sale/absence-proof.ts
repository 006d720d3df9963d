/**
 * `AbsenceProof`: whether a list shows that something does not exist. No clock, no network: callers read, this
 * judges.
 *
 * A list proves an absence only if it is complete, fresh, and the list that was asked for. Give it every page, in
 * the order in which they were read:
 *
 *     const proof = new AbsenceProof('orders', (order) => isOtherDomain(order.domain, domain));
 *     proof.add(page);
 *     proof.doubt; // undefined: what no page showed does not exist. Else why not, for a message.
 *
 * With a doubt the look-up failed: a sale stays open, and a book entry is not checkable. It is never "not
 * found". `readList` does this for a whole list, within one deadline and at most 1,000 pages.
 *
 * @see docs/operations.md
 */

import { isRecord } from '../../core/json.js';
import type { ResponseHead } from '../transport/transport.js';
import { CompletenessCheck, show } from '../envelope/completeness.js';
import { findMeaning } from '../envelope/envelope-words.js';
import { provesAbsence } from '../envelope/find-list.js';
import { isEmptyForm } from '../profile/exact.js';
import { receivedPage } from '../profile/received.js';

/** One page of a list, as `orders.list` and `brokerage.listCases` return it. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** The page's JSON as received. */
  readonly body: unknown;
  readonly nextCursor?: string | undefined;
  /** Absent if a stand-in replaces the client: then nothing is known about caches. */
  readonly response?: ResponseHead | undefined;
}

/** Collects the signs that a list does not show everything. */
export class AbsenceProof {
  readonly #noun: string;
  readonly #isForeign: (item: Record<string, unknown>) => boolean;
  #completeness: CompletenessCheck | undefined;
  #doubt: string | undefined;

  /**
   * @param noun - the member that holds the list: `'orders'`
   * @param isForeign - whether an item is one that the filter excludes, so that the filter was ignored
   */
  constructor(noun: string, isForeign: (item: Record<string, unknown>) => boolean) {
    this.#noun = noun;
    this.#isForeign = isForeign;
  }

  get pages(): number {
    return this.#completeness?.pages ?? 0;
  }

  /** Why the list proves nothing, as the end of "the list ..."; `undefined` if it is a proof. */
  get doubt(): string | undefined {
    return this.#doubt ?? (this.#completeness ?? new CompletenessCheck()).doubt;
  }

  add({ items, body, response }: ListPage<unknown>): void {
    const headers = response?.headers ?? {};
    const { profile, items: received = items } = receivedPage(response) ?? {};
    this.#completeness ??= new CompletenessCheck(profile?.paging?.ignore);
    const status = response?.status ?? 200;
    const isNone = profile && isEmptyForm(profile, this.#noun, { status, body });
    // A response that is no list by the profile's leave has nothing that could be judged as one.
    const isBare = isNone === true && (body === undefined || status === 404);
    this.#completeness.add(isBare ? {} : body, received, headers, undefined, isNone === true);
    this.#doubt ??=
      (response && findCacheSign(isBare ? { ...response, status: 200 } : response)) ??
      this.#doubtOfForm(body, headers, items.length === 0 ? isNone : undefined) ??
      this.#doubtOfEcho(body, headers) ??
      this.#doubtOfItems(items);
  }

  /** @param isNone - whether the profile says that this form means "none"; `undefined` if it does not say */
  #doubtOfForm(
    body: unknown,
    headers: ResponseHead['headers'],
    isNone: boolean | undefined,
  ): string | undefined {
    if (isNone === true) return undefined;
    if (isNone === false) return 'is not what "lists.empty" of the profile says of none';
    if (headers['content-type']?.includes('problem') === true) {
      return 'is an error by its Content-Type';
    }
    if (provesAbsence(body, this.#noun)) return undefined;
    return 'is not in the form { "data": [] }, so a gateway may have sent it (docs/assumptions.md)';
  }

  /** A service that repeats the filter, or the address, says what the list was read for. */
  #doubtOfEcho(body: unknown, headers: ResponseHead['headers']): string | undefined {
    const location = headers['content-location'];
    if (location !== undefined && this.#isOtherFilter(location.slice(location.indexOf('?') + 1))) {
      return `belongs to another address (Content-Location: ${location.slice(0, 100)})`;
    }
    for (const holder of isRecord(body) ? [body, body.meta] : []) {
      if (!isRecord(holder)) continue;
      for (const name in holder) {
        if (findMeaning(name) !== 'echo' || !this.#isOtherFilter(holder[name])) continue;
        return `belongs to another filter (${show(name, holder[name])})`;
      }
    }
    return undefined;
  }

  #isOtherFilter(filter: unknown): boolean {
    const fields =
      typeof filter === 'string' ? Object.fromEntries(new URLSearchParams(filter)) : filter;
    return isRecord(fields) && this.#isForeign(fields);
  }

  #doubtOfItems(items: readonly unknown[]): string | undefined {
    for (const item of items) {
      if (!isRecord(item)) return 'has an item that is not a record';
      if (this.#isForeign(item)) return 'has items that the filter excludes, so it was ignored';
    }
    return undefined;
  }
}

/**
 * Why a response may be a stored copy, which says nothing about now: an `Age`, a cache's hit, or a status other
 * than 200. A single record (`orders.get`) needs this check, too.
 */
export function findCacheSign({ status, headers }: ResponseHead): string | undefined {
  if (status !== 200) return `has the status ${status}`;
  const { age } = headers;
  if (age !== undefined && Number(age) !== 0) return `came from a cache (Age: ${age.slice(0, 20)})`;
  // 110 to 113 speak of a cache (RFC 7234, 5.5); 199 and 299 say anything, such as that a version is old.
  if (/(?:^|,)\s*11[0-3]\b/.test(headers.warning ?? '')) return 'has a Warning header of a cache';
  for (const name in headers) {
    if (!name.includes('cache') || name.endsWith('cache-control')) continue;
    const value = headers[name] ?? '';
    if (isCacheHit(name, value)) return `came from a cache (${name}: ${value.slice(0, 50)})`;
  }
  return undefined;
}

/** `x-cache-hits` and `x-cache-age` count; `x-from-cache` and `x-cached` affirm; the others name it. */
function isCacheHit(name: string, value: string): boolean {
  if (/(?:hits|age)$/.test(name)) return /[1-9]/.test(value);
  if (/from-?cache|cached$/.test(name)) return !/^\s*(?:|0|no|false|none|miss)\s*$/i.test(value);
  return /hit|stale|updating|fresh|prerender/i.test(value);
}

/** CompletenessCheck: whether the pages of a list are all of it, in whatever word they say so. */

import { listMembers } from '../assumptions.js';
import { isRecord } from '../json.js';

/** What a member of a page says if it is set. */
type Meaning =
  'continues' | 'ends' | 'failed' | 'must_hold' | 'status' | 'item_count' | 'page_count' | 'none';

const meaningOf = new Map<string, Meaning>([
  ...named('continues', 'hasmore', 'more', 'moreresults', 'remaining', 'truncated', 'istruncated'),
  ...named('failed', 'timedout', 'incomplete', 'isincomplete', 'ispartial', 'stale', 'isstale'),
  ...named('failed', 'failed', 'failure', 'failures', 'degraded'),
  ...named('ends', 'complete', 'iscomplete'),
  ...named('must_hold', 'success', 'ok'),
  ...named('status', 'status'),
  ...named('item_count', 'total', 'totalcount', 'totalitems', 'totalresults', 'totalrecords'),
  ...named('item_count', 'totalelements', 'totalorders', 'totalcases', 'count', 'itemcount'),
  ...named('page_count', 'totalpages', 'pagecount', 'pages', 'lastpage', 'numpages'),
  // What was asked for, repeated: it says nothing about the list.
  ...named('none', 'filter', 'filters', 'query', 'request', 'params', 'ratelimit'),
]);

/** `next_cursor`, `hasNextPage`, `errors`, `partial_results`: whatever follows the word. */
const meaningOfBeginning: readonly (readonly [string, Meaning])[] = [
  ['next', 'continues'],
  ['hasnext', 'continues'],
  ['error', 'failed'],
  ['warning', 'failed'],
  ['partial', 'failed'],
];

const goodStatuses = new Set(['ok', 'success', 'succeeded', 'successful', 'complete', 'completed']);

/** Members that hold the list: null in place of a list is not an empty list. */
const listNames = new Set([...listMembers, 'orders', 'cases', 'events']);

/** Envelopes are two levels deep; deeper is data. */
const deepestLevel = 3;

export class CompletenessCheck {
  #pages = 0;
  #items = 0;
  #statedItems = 0;
  #statedPages = 0;
  #failure: string | undefined;
  /** Of the last page only: what leads on from another page was followed. */
  #continuation: string | undefined;

  get pages(): number {
    return this.#pages;
  }

  /** Why the pages are not the whole list, as the end of "the list ...". */
  get doubt(): string | undefined {
    if (this.#pages === 0) return 'was not read';
    if (this.#failure !== undefined) return `says that it failed or is partial (${this.#failure})`;
    if (this.#continuation !== undefined) return `says that there is more (${this.#continuation})`;
    if (this.#statedItems > this.#items) {
      return `says that it has ${this.#statedItems} items, and shows ${this.#items}`;
    }
    return this.#statedPages > this.#pages
      ? `says that it has ${this.#statedPages} pages, and shows ${this.#pages}`
      : undefined;
  }

  add(body: unknown, items: number, headers: Readonly<Record<string, string>> = {}): void {
    this.#pages += 1;
    this.#items += items;
    this.#continuation = /\brel="?next\b/i.test(headers.link ?? '') ? 'Link: rel=next' : undefined;
    this.#count('item_count', headers['x-total-count']);
    this.#count('page_count', headers['x-total-pages']);
    if (isRecord(body)) this.#read(body, 0);
  }

  #read(record: Record<string, unknown>, level: number): void {
    for (const name in record) {
      const value = record[name];
      const meaning = findMeaning(name);
      if (meaning === 'none') continue;
      if (meaning !== undefined) this.#note(meaning, name, value);
      else if (value === null && listNames.has(name)) this.#failure ??= `${name}: null`;
      if (level < deepestLevel && isRecord(value)) this.#read(value, level + 1);
      else if (name === 'links' && Array.isArray(value)) this.#readLinks(value);
    }
  }

  #note(meaning: Meaning, name: string, value: unknown): void {
    switch (meaning) {
      case 'item_count':
      case 'page_count':
        this.#count(meaning, value);
        return;
      case 'continues':
        if (isSet(value)) this.#continuation ??= show(name, value);
        return;
      case 'ends':
        if (!isSet(value)) this.#continuation ??= show(name, value);
        return;
      case 'failed':
        if (isSet(value)) this.#failure ??= show(name, value);
        return;
      case 'must_hold':
        if (!isSet(value)) this.#failure ??= show(name, value);
        return;
      case 'status':
        if (isSet(value) && !isGoodStatus(value)) this.#failure ??= show(name, value);
    }
  }

  #readLinks(links: readonly unknown[]): void {
    const leadsOn = links.some((link) => isRecord(link) && link.rel === 'next');
    if (leadsOn) this.#continuation ??= 'links: next';
  }

  #count(meaning: 'item_count' | 'page_count', stated: unknown): void {
    const count = typeof stated === 'string' && stated !== '' ? Number(stated) : stated;
    if (typeof count !== 'number' || Number.isNaN(count)) return;
    if (meaning === 'item_count') this.#statedItems = Math.max(this.#statedItems, count);
    else this.#statedPages = Math.max(this.#statedPages, count);
  }
}

/** `has_more`, `hasMore` and `HAS-MORE` are one word. */
function findMeaning(name: string): Meaning | undefined {
  const word = /[^a-z]/.test(name) ? name.replace(/[_\-. ]/g, '').toLowerCase() : name;
  const meaning = meaningOf.get(word);
  if (meaning !== undefined) return meaning;
  for (const [beginning, each] of meaningOfBeginning) {
    if (word.startsWith(beginning)) return each;
  }
  return undefined;
}

/** Whether a member says anything: `errors: []`, `error: ''` and `next: null` do not. */
function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.values(value).some(isSet);
  return typeof value === 'string' ? !/^(?:|0|false|no|none|null)$/i.test(value.trim()) : !!value;
}

/** A number is an HTTP status. A word that is not known to be good counts against the list. */
function isGoodStatus(value: unknown): boolean {
  if (typeof value === 'string' && goodStatuses.has(value.toLowerCase())) return true;
  const status = Number(value);
  return value === true || (status >= 200 && status < 300);
}

function show(name: string, value: unknown): string {
  return `${name}: ${JSON.stringify(value).slice(0, 80)}`;
}

function named(meaning: Meaning, ...words: readonly string[]): (readonly [string, Meaning])[] {
  return words.map((word) => [word, meaning]);
}

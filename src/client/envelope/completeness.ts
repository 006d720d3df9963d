/** CompletenessCheck: whether the pages of a list are complete, whichever words say so. */

import { isDocumentedCode } from '../errors/api-error-class.js';
import { redactJson } from '../../core/errors/redact.js';
import { isRecord } from '../../core/json.js';
import { findHeaderMeaning, findMeaning, isGoodWord, type Meaning } from './envelope-words.js';
import { defaultPlaces } from '../assumptions.js';

/** Members that hold the list: null in place of a list is not an empty list. */
const listNames = new Set([...defaultPlaces.lists.items.slice(0, 5), 'orders', 'cases', 'events']);

/** What makes a record one of the service, rather than a part of an envelope. */
const idNames = ['public_id', 'case_id'] as const;

/** Envelopes are two levels deep; deeper is data. */
const deepestLevel = 3;

/** A count of items or pages that an envelope states, and under which name. */
export interface StatedCount {
  readonly name: string;
  readonly count: number;
}

export class CompletenessCheck {
  readonly #ignored: ReadonlySet<string>;
  #isNone = false;
  #pages = 0;
  #items = 0;
  #statedItems: StatedCount = { name: '', count: 0 };
  #statedPages: StatedCount = { name: '', count: 0 };
  #failure: string | undefined;
  /** Of the last page only: what leads on from another page was followed. */
  #continuation: string | undefined;
  #remains: string | undefined;
  /** The position that was sent for the page that is being read. */
  #sent: string | undefined;
  /** The list of the page that is being read. */
  #list: readonly unknown[] = [];

  /** @param ignored - members and headers that say nothing about this list: `total`, `header:x-total-count` */
  constructor(ignored: readonly string[] = []) {
    this.#ignored = new Set(ignored.map((word) => word.split('.').at(-1) ?? word));
  }

  get pages(): number {
    return this.#pages;
  }

  /** What says that the last page is not the end of the list. */
  get continuation(): string | undefined {
    return this.#continuation;
  }

  /** What says of the last page that more may follow, or is another figure. */
  get remains(): string | undefined {
    return this.#remains;
  }

  get itemCount(): StatedCount {
    return this.#statedItems;
  }

  get pageCount(): StatedCount {
    return this.#statedPages;
  }

  /** Why the pages are not the whole list, as the end of "the list ...". */
  get doubt(): string | undefined {
    if (this.#pages === 0) return 'was not read';
    if (this.#failure !== undefined) return `says that it failed or is partial (${this.#failure})`;
    const more = this.#continuation ?? this.#remains;
    if (more !== undefined) return `says that there is more (${more})`;
    if (this.#statedItems.count > this.#items) {
      return `says that it has ${this.#statedItems.count} items, and shows ${this.#items}`;
    }
    return this.#statedPages.count > this.#pages
      ? `says that it has ${this.#statedPages.count} pages, and shows ${this.#pages}`
      : undefined;
  }

  /**
   * @param sent - the position that was sent for this page: to repeat it is no sign that there is more
   * @param isNone - whether this body is how the service, by its profile, says that the list is empty
   */
  add(
    body: unknown,
    items: readonly unknown[],
    headers: Readonly<Record<string, string>> = {},
    sent?: string,
    isNone = false,
  ): void {
    this.#isNone = isNone;
    this.#list = items;
    this.#sent = sent;
    this.#pages += 1;
    this.#continuation = undefined;
    this.#remains = undefined;
    this.#readHeaders(headers);
    if (isRecord(body)) this.#read(body, 0);
    this.#items += items.length;
  }

  #readHeaders(headers: Readonly<Record<string, string>>): void {
    const { link, 'content-range': range } = headers;
    if (link !== undefined && /\brel\s*=\s*["']?[^"',;]*\bnext\b/i.test(link)) {
      this.#continuation = 'Link: rel=next';
    }
    if (range !== undefined) this.#count('item_count', 'content-range', range.split('/')[1]);
    for (const name in headers) {
      const meaning = findHeaderMeaning(name);
      if (meaning !== undefined && !this.#ignored.has(`header:${name}`))
        this.#note(meaning, name, headers[name]);
    }
  }

  #read(record: Record<string, unknown>, level: number): void {
    for (const name of idNames) {
      if (isSet(record[name]))
        this.#failure ??= `a record outside of it, ${show(name, record[name])}`;
    }
    for (const name in record) {
      const value = record[name];
      const meaning = findMeaning(name);
      if (meaning === 'none' || meaning === 'echo' || this.#ignored.has(name)) continue;
      if (meaning !== undefined) this.#note(meaning, name, value);
      if (value === null && listNames.has(name) && !this.#isNone) this.#failure ??= `${name}: null`;
      if (isRecord(value)) {
        if (level < deepestLevel) this.#read(value, level + 1);
      } else if (Array.isArray(value)) {
        this.#readArray(name, value);
      }
    }
  }

  #note(meaning: Meaning, name: string, value: unknown): void {
    switch (meaning) {
      case 'item_count':
      case 'page_count':
      case 'offset':
        this.#count(meaning, name, value);
        return;
      case 'continues':
        if (isSet(value) && !this.#isSent(value)) this.#continuation ??= show(name, value);
        return;
      case 'remains':
        if (isSet(value)) this.#remains ??= show(name, value);
        return;
      case 'last':
        if (value === false) this.#continuation ??= show(name, value);
        return;
      case 'ends':
        if (!isSet(value)) this.#continuation ??= show(name, value);
        return;
      case 'failed':
        if (isSet(value) && !isGoodWord(value)) this.#failure ??= show(name, value);
        return;
      default:
        if (isFailure(meaning, value)) this.#failure ??= show(name, value);
    }
  }

  #isSent(value: unknown): boolean {
    const isCursor = typeof value === 'string' || typeof value === 'number';
    return isCursor && String(value) === this.#sent;
  }

  /** A list next to the one that was read: `pending`, or `data` next to an empty `items`. */
  #readArray(name: string, array: readonly unknown[]): void {
    if (name === 'links') {
      const leadsOn = array.some((link) => isRecord(link) && link.rel === 'next');
      if (leadsOn) this.#continuation ??= 'links: next';
    }
    const isTheList = array === this.#list || array[0] === this.#list[0];
    const holdsRecords = array.some((it) => isRecord(it) && idNames.some((id) => isSet(it[id])));
    if (!isTheList && holdsRecords) this.#failure ??= `records outside of it, in "${name}"`;
  }

  #count(meaning: 'item_count' | 'page_count' | 'offset', name: string, stated: unknown): void {
    // `total: { value: 3, relation: 'eq' }`. A page's record is an envelope: #read sees it.
    const isTotal = meaning === 'item_count' && isRecord(stated);
    const count = toCount(isTotal ? stated.value : stated);
    if (meaning === 'page_count') {
      if (count > this.#statedPages.count) this.#statedPages = { name, count };
    } else if (meaning === 'item_count') {
      if (count > this.#statedItems.count) this.#statedItems = { name, count };
    }
    // Items before this page that no page showed.
    else if (count > this.#items) this.#failure ??= show('offset', stated);
  }
}

/**
 * What in a success says that it is none: `success: false`, an error, a status of one. The `status` and
 * `state` of a record that has an id are its data.
 */
export function findFailure(body: unknown, level = 0): string | undefined {
  if (!isRecord(body)) return undefined;
  for (const name in body) {
    const value = body[name];
    if (statesFailure(name, value, body)) return show(name, value);
    const inner = level === 0 ? findFailure(value, level + 1) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function statesFailure(
  name: string,
  value: unknown,
  record: Readonly<Record<string, unknown>>,
): boolean {
  const meaning = findMeaning(name);
  switch (meaning) {
    case 'failed':
      return /^(?:is_?|has_?)?(?:error|exception|fault)/i.test(name) && isSet(value);
    case 'must_hold':
      return isFailure(meaning, value);
    case 'code': // other words may be the record's own
      return isFailure(meaning, value) || (typeof value === 'string' && isDocumentedCode(value));
    case 'status':
      if (idNames.some((id) => id in record)) return false;
      return isFailedWord(value) || (/status$/i.test(name) && isFailedStatus(value));
    default:
      return false;
  }
}

/** A number is an HTTP status. A word that is not known to be good counts against the list. */
function isFailure(meaning: Meaning, value: unknown): boolean {
  if (meaning === 'must_hold') return !isSet(value);
  if (typeof value === 'object' || !isSet(value)) return false;
  const status = Number(value);
  if (!Number.isNaN(status) && value !== true) return status < 200 || status >= 300;
  // A word as a code is judged by `provesAbsence`: `code: 'USD'` may be of anything.
  return meaning === 'status' && value !== true && !isGoodWord(value);
}

function isFailedWord(value: unknown): boolean {
  return typeof value === 'string' && /^(?:error|fail(?:ed|ure)?)$/i.test(value);
}

/** `status: 503`, as a problem detail of RFC 9457 has it. */
function isFailedStatus(value: unknown): boolean {
  return /^[45]\d\d$/.test(String(value));
}

/** A record that is nested deeper counts as set: walking down to its end would overflow the stack. */
const deepestMember = 100;

/** Whether a member says anything: `errors: []`, `error: ''` and `next: null` do not. */
function isSet(value: unknown, level = 0): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) {
    return level > deepestMember || Object.values(value).some((it) => isSet(it, level + 1));
  }
  return typeof value === 'string' ? !/^(?:|0|false|no|none|null)$/i.test(value.trim()) : !!value;
}

/** `3`, `'3'`, `'1,204'` and `'3+'`; 0 if no number is stated. */
function toCount(stated: unknown): number {
  if (typeof stated === 'number') return Number.isNaN(stated) ? 0 : stated;
  if (typeof stated !== 'string') return 0;
  return Number(/\d+/.exec(stated.replace(/[,_\s]/g, ''))?.[0] ?? 0);
}

/** A member for a message, which JSON that is nested too deep for a stack must not replace by a RangeError. */
export function show(name: string, value: unknown): string {
  return `${name}: ${JSON.stringify(redactJson(value)).slice(0, 80)}`;
}

/** Pages of lists and their cursors. */

import { ServiceError } from '../service-error.js';
import { addressAt, type Sequenced, type StoredLink } from '../market/records.js';
import type { ListResult } from './endpoint.js';

const defaultPageSize = 20;
const maxPageSize = 100;

/**
 * One page of a list. The cursor holds the position of the last item. With a count of items, a later
 * record would repeat an item or hide one.
 */
export function page<Item extends Sequenced>(
  query: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
  list: {
    readonly name: string;
    readonly oldestFirst: readonly Item[];
    /** Newest first unless given. */
    readonly isOldestFirst?: true;
    readonly serialize?: (item: Item) => unknown;
    readonly extra?: Readonly<Record<string, unknown>>;
  },
): ListResult {
  const { name, oldestFirst, isOldestFirst = false, serialize: onWire = withoutSeq } = list;
  const limit = Math.min(query.limit ?? defaultPageSize, maxPageSize);
  const after = readCursor(query.cursor, name);
  const sorted = isOldestFirst ? oldestFirst : [...oldestFirst].reverse();
  const rest =
    after === undefined
      ? sorted
      : sorted.filter(({ seq }) => (isOldestFirst ? seq > after : seq < after));
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return {
    name,
    items: items.map(onWire),
    nextCursor: last !== undefined && rest.length > limit ? cursorAt(name, last.seq) : null,
    all: () => sorted.map(onWire),
    extra: list.extra ?? {},
  };
}

/** Drops the internal sequence number. */
export function withoutSeq<Item extends Sequenced>(item: Item): Omit<Item, 'seq'> {
  const fields = Object.entries(item).filter(([name]) => name !== 'seq');
  return Object.fromEntries(fields) as Omit<Item, 'seq'>;
}

/** A tracking link as a caller of this address sees it. */
export function serializeLink(link: StoredLink, baseUrl: string): Omit<StoredLink, 'seq'> {
  return { ...withoutSeq(link), url: addressAt(baseUrl, link.url) };
}

function cursorAt(name: string, seq: number): string {
  return Buffer.from(`${name}:${seq}`).toString('base64url');
}

function readCursor(cursor: string | undefined, name: string): number | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const seq = text.startsWith(`${name}:`) ? Number(text.slice(name.length + 1)) : NaN;
  if (!Number.isSafeInteger(seq) || cursorAt(name, seq) !== cursor) {
    throw new ServiceError('validation_error', '"cursor" is not a cursor of this list.');
  }
  return seq;
}

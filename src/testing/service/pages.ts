import { Refusal } from './refusal.js';
import type { Fields } from './fields.js';

const defaultPageSize = 20;
const maxPageSize = 100;

/** A list before it is put in its envelope. */
export interface ListResult {
  /** What the list is of, for the envelope that names it. */
  readonly name: string;
  readonly items: readonly unknown[];
  readonly nextCursor: string | null;
  /** All items, for the envelope that has no place for a cursor. */
  readonly all: () => readonly unknown[];
  /** Fields beside the list. */
  readonly extra: Readonly<Record<string, unknown>>;
}

interface Sequenced {
  /** Place in the list; it rises from the oldest to the newest. */
  readonly seq: number;
}

/**
 * One page of a list. The cursor holds the place of the last item given, not a count of items, so
 * that what is recorded meanwhile neither repeats an item nor hides one.
 */
export function page<Item extends Sequenced>(
  query: Fields,
  list: {
    readonly name: string;
    readonly oldestFirst: readonly Item[];
    readonly order: 'newest first' | 'oldest first';
    readonly onWire?: (item: Item) => unknown;
    readonly extra?: Readonly<Record<string, unknown>>;
  },
): ListResult {
  const { name, oldestFirst, order, onWire = withoutSeq, extra = {} } = list;
  const limit = Math.min(query.count('limit') ?? defaultPageSize, maxPageSize);
  const after = readCursor(query.text('cursor'), name);
  const sorted = order === 'oldest first' ? oldestFirst : [...oldestFirst].reverse();
  const rest =
    after === undefined
      ? sorted
      : sorted.filter(({ seq }) => (order === 'oldest first' ? seq > after : seq < after));
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return {
    name,
    items: items.map(onWire),
    nextCursor: last !== undefined && rest.length > limit ? cursorAt(name, last.seq) : null,
    all: () => sorted.map(onWire),
    extra,
  };
}

/** The place in the list is nobody's business outside. */
export function withoutSeq<Item extends Sequenced>(item: Item): Omit<Item, 'seq'> {
  const fields = Object.entries(item).filter(([name]) => name !== 'seq');
  return Object.fromEntries(fields) as Omit<Item, 'seq'>;
}

function cursorAt(name: string, seq: number): string {
  return Buffer.from(`${name}:${seq}`).toString('base64url');
}

function readCursor(cursor: string | undefined, name: string): number | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const seq = text.startsWith(`${name}:`) ? Number(text.slice(name.length + 1)) : NaN;
  if (!Number.isSafeInteger(seq) || cursorAt(name, seq) !== cursor) {
    throw new Refusal('validation_error', '"cursor" is not a cursor of this list.');
  }
  return seq;
}

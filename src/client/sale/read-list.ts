/** `readList`: reads a whole list within one deadline, and keeps only what may be of use. */

import { TimeoutError } from '../errors/connection-error.js';
import { isRecord } from '../../core/json.js';
import { isSamePage } from '../envelope/same-page.js';
import { AbsenceProof, type ListPage } from './absence-proof.js';

/** A list without an end would hold a worker forever: past this many pages it proves nothing. */
export const maxPages = 1_000;

export interface ListToRead<T> {
  /** The member that holds the list: `'orders'`. */
  readonly noun: string;
  /** Reads the page at a cursor, or the first one, within `deadlineMs`. */
  readonly readPage: (cursor: string | undefined, deadlineMs: number) => PromiseLike<ListPage<T>>;
  /** Whether the filter excludes an item, so that a list that has it was not filtered. */
  readonly isForeign: (item: T) => boolean;
  /** Whether to keep an item. The others are dropped with their page. */
  readonly keep: (item: T) => boolean;
  /** A clock in milliseconds. */
  readonly nowMs: () => number;
  /** For all pages together. */
  readonly deadlineMs: number;
}

/** What `readList` returns. */
export interface ListReading<T> {
  readonly kept: readonly T[];
  /** Why the list proves no absence, as the end of "the list ..."; `undefined` if it does. */
  readonly doubt: string | undefined;
}

/** Rejects when a page cannot be read, and when the time has passed. */
export async function readList<T extends object>(list: ListToRead<T>): Promise<ListReading<T>> {
  const { noun, readPage, isForeign, keep, nowMs, deadlineMs } = list;
  const endsAtMs = nowMs() + deadlineMs;
  const proof = new AbsenceProof(noun, (item) => isForeign(item as T));
  const kept: T[] = [];
  const cursors = new Set<string>();
  let previous: readonly unknown[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await readPage(cursor, leftMs(endsAtMs - nowMs(), list));
    proof.add(page);
    // A service that ignores the cursor would show its first page again and again.
    if (isSamePage(page.items, previous)) return { kept, doubt: 'repeats the page before it' };
    previous = page.items;
    for (const item of page.items) if (isRecord(item) && keep(item)) kept.push(item);
    cursor = page.nextCursor;
    if (cursor === undefined) return { kept, doubt: proof.doubt };
    if (cursors.has(cursor)) return { kept, doubt: 'leads back to a page that was read' };
    if (proof.pages >= maxPages) return { kept, doubt: `has more than ${maxPages} pages` };
    cursors.add(cursor);
  }
}

function leftMs(ms: number, { noun, deadlineMs }: { noun: string; deadlineMs: number }): number {
  if (ms >= 1) return Math.floor(ms);
  throw new TimeoutError(
    `The list of ${noun} could not be read to its end within ${deadlineMs} ms.`,
    { which: 'deadline', method: 'GET', outcome: 'unknown' },
  );
}

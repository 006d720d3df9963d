/** `readPage`: the items of a page and what follows it. `startAt`, `atCursor`: the calls that read pages. */

import { defaultPlaces } from '../assumptions.js';
import { canonicalQuery } from '../protocol/query.js';
import { findNextPage, queryAt, type NextPage, type PageOfList } from '../envelope/next-page.js';
import { exactNextPage } from '../profile/exact.js';
import { readAt } from '../profile/places.js';
import type { PagingProfile } from '../profile/profile.js';
import { receivedPage } from '../profile/received.js';
import { ownIds, ProfileContradiction } from '../profile/to-ours.js';
import type { RecordName } from '../record-fields.js';
import { isRecord } from '../../core/json.js';
import type { Readable } from '../responses/read-result.js';
import { reportOnce } from '../responses/report-once.js';
import type { CursorHistory, PageInit } from '../results/page.js';
import type { PreparedCall } from './prepare.js';

/** The call of a list's first page. Its query may hold the position that an earlier page gave. */
export function startAt(call: PreparedCall): PreparedCall {
  const position = new URLSearchParams(call.query).get(cursorParamOf(call));
  return position === null ? call : atCursor(call, position, call.signal);
}

/** Whether this is a history whose `after_id` leads to older events, by the profile. */
export function isReadBack({ endpoint, profile }: PreparedCall): boolean {
  return endpoint.cursorParam !== undefined && profile?.events?.after === 'older';
}

/** The call of its newest page, and the event that the caller wants those after. */
export function fromNewest(call: PreparedCall): { id: string | null; first: PreparedCall } {
  const query = new URLSearchParams(call.query);
  const id = query.get(cursorParamOf(call));
  query.delete(cursorParamOf(call));
  const rest = canonicalQuery([...query]);
  return {
    id,
    first: { ...call, query: rest, target: rest === '' ? call.path : `${call.path}?${rest}` },
  };
}

/** The same call for another page of its list. */
export function atCursor(
  call: PreparedCall,
  position: string,
  signal: AbortSignal | undefined,
): PreparedCall {
  const query = queryAt(call.query, cursorParamOf(call), position, sentParamOf(call));
  return { ...call, query, target: `${call.path}?${query}`, signal, position };
}

type ReadPage = Pick<PageInit<unknown>, 'items' | 'nextCursor' | 'unreadable'>;

/** @param first - the call of the list's first page */
export function readPage(
  readable: Readable,
  received: unknown[],
  first: PreparedCall,
  sent: string | undefined,
  history: CursorHistory,
): ReadPage {
  const { body, headers } = readable.response;
  const isHistory = first.endpoint.cursorParam !== undefined;
  const items = isHistory ? withoutFirst(received, sent) : received;
  const list = {
    body,
    items: receivedPage(readable.response)?.items ?? received,
    headers,
    path: first.path,
    query: first.query,
    cursorParam: cursorParamOf(first),
    sent,
  };
  const { position, unreadable, remains, itemCount, pageCount } = nextPage(
    first,
    list,
    items,
    readable,
  );
  if (position !== undefined) return { items, nextCursor: position, unreadable: undefined };
  const last = items.at(-1);
  // An event's id is the cursor of the history (specification, part 2).
  if (unreadable !== undefined && isHistory && isRecord(last) && typeof last.id === 'string') {
    return { items, nextCursor: last.id, unreadable: undefined };
  }
  const page = { items, nextCursor: undefined };
  // What a list has in all says nothing to a caller who began in its middle.
  const isWhole = new URLSearchParams(first.query).get(cursorParamOf(first)) === null;
  if (unreadable !== undefined || !isWhole) return { ...page, unreadable };
  if (pageCount !== undefined && pageCount.count > history.pages) {
    return { ...page, unreadable: `${pageCount.name}: ${pageCount.count}` };
  }
  const shown = history.items + received.length;
  if (remains !== undefined) {
    const line = `the list states ${remains}, and ends after ${shown} (docs/assumptions.md)`;
    reportOnce(readable, 'remaining', line, {}, true);
  }
  if (itemCount !== undefined && itemCount.count > shown) {
    const line = `the list states "${itemCount.name}": ${itemCount.count}, and ends after ${shown} (docs/assumptions.md)`;
    reportOnce(readable, itemCount.name, line, { field: itemCount.name }, true);
  }
  return { ...page, unreadable: undefined };
}

/** By the profile's `paging`, if it has one. The history documents its own. */
function nextPage(
  { profile, endpoint }: PreparedCall,
  page: PageOfList,
  items: readonly unknown[],
  { unexpected }: Readable,
): NextPage {
  const paging = endpoint.cursorParam === undefined ? profile?.paging : undefined;
  if (paging === undefined) return findNextPage(page);
  try {
    return exactNextPage(paging, page, idOfLast(paging, page, items, endpoint.record));
  } catch (error) {
    if (!(error instanceof ProfileContradiction)) throw error;
    throw unexpected(`JSON that ${error.what}`, 'where a cursor is');
  }
}

function idOfLast(
  paging: PagingProfile,
  page: PageOfList,
  items: readonly unknown[],
  record: RecordName | undefined,
): unknown {
  if (paging.by !== 'last') return undefined;
  if (paging.id !== undefined) return readAt(page.items.at(-1), paging.id);
  const last = items.at(-1);
  const name = record && ownIds[record];
  return name !== undefined && isRecord(last) ? last[name] : undefined;
}

/** The service's name of the parameter. */
function sentParamOf(call: PreparedCall): string {
  const paging = call.endpoint.cursorParam === undefined ? call.profile?.paging : undefined;
  return paging?.by === 'cursor' && paging.param !== undefined ? paging.param : cursorParamOf(call);
}

function cursorParamOf({ endpoint }: PreparedCall): string {
  return endpoint.cursorParam ?? defaultPlaces.paging.param;
}

/** A history may begin with the event that was to be the last one before it. */
function withoutFirst(events: unknown[], id: string | undefined): unknown[] {
  const [first] = events;
  return id !== undefined && isRecord(first) && first.id === id ? events.slice(1) : events;
}

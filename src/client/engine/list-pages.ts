/** `readPage`: the items of a page and what follows it. `startAt`, `atCursor`: the calls that read pages. */

import { pageParameters } from '../assumptions.js';
import { findNextPage, queryAt } from '../envelope/next-page.js';
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

/** The same call for another page of its list. */
export function atCursor(
  call: PreparedCall,
  position: string,
  signal: AbortSignal | undefined,
): PreparedCall {
  const query = queryAt(call.query, cursorParamOf(call), position);
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
  const { position, unreadable, itemCount, pageCount } = findNextPage({
    body,
    items: received,
    headers,
    path: first.path,
    query: first.query,
    cursorParam: cursorParamOf(first),
    sent,
  });
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
  if (itemCount !== undefined && itemCount.count > shown) {
    const line = `the list states "${itemCount.name}": ${itemCount.count}, and ends after ${shown} (docs/assumptions.md)`;
    reportOnce(readable, itemCount.name, line, { field: itemCount.name }, true);
  }
  return { ...page, unreadable: undefined };
}

function cursorParamOf({ endpoint }: PreparedCall): string {
  return endpoint.cursorParam ?? pageParameters.cursor;
}

/** A history may begin with the event that was to be the last one before it. */
function withoutFirst(events: unknown[], id: string | undefined): unknown[] {
  const [first] = events;
  return id !== undefined && isRecord(first) && first.id === id ? events.slice(1) : events;
}

/** firstPage: builds the pages of a list, each of which can fetch the next. */

import { findNextCursor, pageParameters } from '../assumptions.js';
import { emptyHistory, type CursorHistory, type Page, type PageInit } from '../results/page.js';
import { atCursor, type PreparedCall } from './prepare.js';
import type { CompletedCall } from './completed-call.js';
import { withAnySignal } from '../../time/signals.js';

export type PageClass<T, P extends Page<T>> = new (init: PageInit<T>) => P;

/** How the pages of a list are fetched and read. */
export interface ListReader<T, P extends Page<T>> {
  readonly pageClass: PageClass<T, P>;
  readonly run: (call: PreparedCall) => Promise<CompletedCall>;
  readonly readItems: (completed: CompletedCall) => T[];
}

export function firstPage<T, P extends Page<T>>(
  completed: CompletedCall,
  reader: ListReader<T, P>,
): P {
  return toPage(completed, completed.call.signal, emptyHistory, reader);
}

function toPage<T, P extends Page<T>>(
  completed: CompletedCall,
  callerSignal: AbortSignal | undefined,
  history: CursorHistory,
  reader: ListReader<T, P>,
): P {
  const { call, response } = completed;
  const cursorParam = call.endpoint.cursorParam ?? pageParameters.cursor;
  return new reader.pageClass({
    items: reader.readItems(completed),
    nextCursor: findNextCursor(response.body),
    call: { method: call.method, path: call.path },
    response,
    sentCursor: new URLSearchParams(call.query).get(cursorParam) ?? undefined,
    history,
    fetchPage: (cursor, nextHistory, abandoned) =>
      withAnySignal(callerSignal, abandoned, async (signal) => {
        const next = await reader.run(atCursor(call, cursorParam, cursor, signal));
        return toPage(next, callerSignal, nextHistory, reader);
      }),
  });
}

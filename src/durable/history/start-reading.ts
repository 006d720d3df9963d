/** `startReading`: where a poll begins, and the first page from there. */

import type { EventsQuery } from '../../client/model/webhook-registration.js';
import type { RequestOptions } from '../../client/options/request-options.js';
import type { MarketEvent } from '../../webhooks/events.js';
import { parseServiceTime } from '../../core/service-time.js';
import { HistoryGapError } from '../errors.js';
import type { Checkpoint } from '../queue/job.js';
import { unlessRefused, type EventPage } from './event-pages.js';
import { beginning, OverlapWindow } from './overlap-window.js';
import type { PollSettings, StartFrom } from './poll-options.js';

/** Where a poll begins: a little before the checkpoint, or exactly there. */
export type PollFrom = 'overlap' | 'cursor';

/** What reads the history: any version's client fits, because no class is named. */
export interface HistorySource {
  readonly events: {
    list(query: EventsQuery, options: RequestOptions): PromiseLike<EventPage>;
    /** @internal Gives a delivered event the form that the history's have. */
    readonly readDelivered?: (delivered: unknown) => unknown;
  };
}

/** What decides where a poll begins. */
export interface StartOptions {
  readonly market: HistorySource;
  readonly startFrom: StartFrom;
  readonly poll: PollSettings;
  readonly onGap: (gap: HistoryGapError) => Promise<'stop' | 'from_beginning'>;
}

/** One reading of the history, from its first page to its end. */
export interface Reading {
  readonly from: PollFrom;
  readonly first: EventPage;
  readonly window: OverlapWindow;
  readonly checkpoint: Checkpoint | undefined;
  /** The checkpoint's event, if the reading begins before it: everything up to it was already read. */
  readonly cursor: string | null;
  /** No anchor was found, so the reading may meet events whose ids are no longer remembered. */
  readonly isFromBeginning: boolean;
}

/**
 * Begins at the first place that the service still accepts, or at the beginning.
 *
 * @throws {@link HistoryGapError}
 */
export async function startReading(
  options: StartOptions,
  from: PollFrom,
  checkpoint: Checkpoint | undefined,
  signal: AbortSignal | undefined,
): Promise<Reading> {
  const { startFrom, poll } = options;
  const list = (id: string) => listAfter(options, id, signal);
  if (checkpoint === undefined || checkpoint.cursor === null) {
    const id = typeof startFrom === 'object' ? startFrom.after_id : beginning;
    // An event may become visible before the first one that was read.
    const window = new OverlapWindow(poll, [{ id, created_at: '' }], null);
    const first = await list(id);
    return { from, first, window, checkpoint, cursor: null, isFromBeginning: false };
  }
  const { cursor, anchors, horizon } = checkpoint;
  if (from === 'cursor') {
    const first = await unlessRefused(list(cursor));
    const window = new OverlapWindow(poll, anchors, horizon);
    const reading = { from, window, checkpoint, cursor: null, isFromBeginning: false };
    if (first !== undefined) return { ...reading, first };
  }
  const newestFirst = [...anchors].reverse().slice(0, 5);
  for (const anchor of [...anchors.slice(0, 1), ...newestFirst]) {
    const first = await unlessRefused(list(anchor.id));
    if (first === undefined) continue;
    // The service always accepts a read from the beginning, so only this case can hide a gap.
    if (anchor.id === beginning) await checkGap(options, first, checkpoint);
    const window = new OverlapWindow(poll, [anchor], horizon);
    const left = anchor.id === cursor ? null : cursor;
    return { from: 'overlap', first, window, checkpoint, cursor: left, isFromBeginning: false };
  }
  const first = await list(beginning);
  await checkGap(options, first, checkpoint);
  const window = new OverlapWindow(poll, [], horizon);
  return { from: 'overlap', first, window, checkpoint, cursor, isFromBeginning: true };
}

/** @param id - of the event before the page; `beginning` for the first page of the history */
export function listAfter(
  { market, poll }: Pick<StartOptions, 'market' | 'poll'>,
  id: string,
  signal: AbortSignal | undefined,
): PromiseLike<EventPage> {
  const after = id === beginning ? {} : { after_id: id };
  return market.events.list({ limit: poll.pageSize, ...after }, { signal });
}

async function checkGap(
  { onGap }: StartOptions,
  { items }: EventPage,
  { cursor, horizon }: Checkpoint,
): Promise<void> {
  if (horizon === null) return;
  const { id, created_at } = Object(items[0]) as MarketEvent;
  // No event, or one without a readable date, shows no gap.
  if (!(parseServiceTime(created_at) > parseServiceTime(horizon))) return;
  const gap = new HistoryGapError({ cursor, horizon, oldest: { id, created_at } });
  if ((await onGap(gap)) !== 'from_beginning') throw gap;
}

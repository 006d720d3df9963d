/** `HistoryReader`: reads the history from a checkpoint on and passes on each page, in order. */

import type { MarketClient } from '../../client/client.js';
import { RecentEvents } from '../../webhooks/handler/deduplication/recent-events.js';
import type { MarketEvent } from '../../webhooks/events.js';
import type { Checkpoint } from '../queue/job.js';
import type { Time } from '../queue/time.js';
import { HistoryGapError } from '../errors.js';
import { pagesOf, unlessRefused, type EventPage } from './event-pages.js';
import { beginning, OverlapWindow } from './overlap-window.js';
import type { PollSettings, StartFrom } from './poll-options.js';
import {
  maxSkippedIds,
  skippedBefore,
  skippedUpTo,
  wasSkipped,
  type SkippedEvents,
} from './skipped-events.js';
import { splitAtCursor } from './split-at-cursor.js';

/** What one poll did. */
export interface PollReport {
  /** Events that were read, including those of the overlap. */
  readonly read: number;
  /** Events that were new. */
  readonly added: number;
  /** New events that the history showed before the checkpoint: the overlap found them. */
  readonly late: number;
  /** Events that were skipped because of `startFrom: 'now'`. */
  readonly skipped: number;
}

/** The progress of a long poll. */
export interface PollProgress extends PollReport {
  /** `created_at` of the last event that was read. */
  readonly upTo: string;
}

/** Where a poll begins: a little before the checkpoint, or exactly there. */
export type PollFrom = 'overlap' | 'cursor';

interface HistoryReaderOptions {
  readonly market: Pick<MarketClient, 'events'>;
  readonly startFrom: StartFrom;
  readonly poll: PollSettings;
  readonly time: Time;
  readonly readCheckpoint: () => Promise<Checkpoint | undefined>;
  /** Stores events, then the checkpoint; resolves with the ids of those that are new. */
  readonly store: (
    events: readonly MarketEvent[],
    checkpoint: Checkpoint | undefined,
  ) => Promise<readonly string[]>;
  /** Ids of done events are remembered for at least this long. */
  readonly keepDoneMs: number;
  readonly onGap: (
    gap: HistoryGapError,
  ) => 'stop' | 'from_beginning' | PromiseLike<'stop' | 'from_beginning'>;
  readonly onProgress: (progress: PollProgress) => void;
  /** Receives each record of the history that cannot be stored, and why. */
  readonly onUnusable: (record: unknown, why: string) => void;
}

/** One reading of the history, from its first page to its end. */
interface Run {
  readonly from: PollFrom;
  readonly first: EventPage;
  readonly window: OverlapWindow;
  readonly checkpoint: Checkpoint | undefined;
  /** The checkpoint's event, if the run begins before it: everything up to it was read before. */
  readonly cursor: string | null;
  /** No anchor was found, so the run may meet events whose ids are no longer remembered. */
  readonly isFromBeginning: boolean;
}

export class HistoryReader {
  readonly #options: HistoryReaderOptions;
  readonly #read = new RecentEvents();
  #partnerId: string | undefined;
  #horizon: string | null = null;
  /** Remembered here as well, in case another release overwrites the checkpoint without it. */
  #skipped: SkippedEvents | undefined;

  constructor(options: HistoryReaderOptions) {
    this.#options = options;
  }

  /**
   * Reads to the end of the history.
   *
   * @param from - `'overlap'` finds events that became visible late; `'cursor'` costs one request
   * @param signal - ends the poll; what was read is stored with its checkpoint
   * @throws {@link HistoryGapError}
   */
  async poll(from: PollFrom, signal?: AbortSignal): Promise<PollReport> {
    const checkpoint = await this.#options.readCheckpoint();
    this.#adopt(checkpoint);
    if (checkpoint === undefined && this.#options.startFrom === 'now') {
      return this.#skipAll(from, signal);
    }
    const cursor = checkpoint?.cursor ?? null;
    const run =
      checkpoint === undefined || cursor === null
        ? await this.#begin(from, checkpoint, signal)
        : await this.#resume(from, checkpoint, cursor, signal);
    return this.#readRun(run, signal);
  }

  /** Whether the consumer began after this event, so that no poll will ever store it. */
  wasSkipped(event: MarketEvent): boolean {
    return wasSkipped(this.#skipped, event);
  }

  /** Whether a poll of this process has read the event and stored it. */
  hasRead(id: string): boolean {
    return this.#read.has(id);
  }

  /** Whether a later event was read already, so that a poll from the cursor cannot find this one. */
  isBehind({ created_at }: MarketEvent): boolean {
    return this.#horizon !== null && Date.parse(created_at) <= Date.parse(this.#horizon);
  }

  /** Whose events the history holds, once one of them was delivered. */
  async partnerId(): Promise<string | undefined> {
    if (this.#partnerId === undefined) this.#adopt(await this.#options.readCheckpoint());
    return this.#partnerId;
  }

  /** Records whose events the history holds; stored with the next checkpoint. */
  confirmPartner(partnerId: string): void {
    this.#partnerId = partnerId;
  }

  #adopt(checkpoint: Checkpoint | undefined): void {
    this.#partnerId ??= checkpoint?.partnerId;
    this.#skipped = checkpoint?.skipped ?? this.#skipped;
    this.#horizon = checkpoint?.horizon ?? this.#horizon;
  }

  async #begin(
    from: PollFrom,
    checkpoint: Checkpoint | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Run> {
    const { startFrom, poll } = this.#options;
    const afterId = typeof startFrom === 'object' ? startFrom.after_id : undefined;
    if (afterId !== undefined) this.#skipped ??= { before: null, ids: [afterId] };
    // An event may become visible before the first one that was read.
    const anchor = { id: afterId ?? beginning, created_at: '' };
    const first = await this.#list(afterId, signal);
    const window = new OverlapWindow(poll, [anchor], null);
    return { from, first, window, checkpoint, cursor: null, isFromBeginning: false };
  }

  /** Starts at the first place that the service still accepts, or at the beginning. */
  async #resume(
    from: PollFrom,
    checkpoint: Checkpoint,
    cursor: string,
    signal: AbortSignal | undefined,
  ): Promise<Run> {
    const { anchors, horizon } = checkpoint;
    const { poll } = this.#options;
    if (from === 'cursor') {
      const first = await this.#listFrom(cursor, signal);
      const window = new OverlapWindow(poll, anchors, horizon);
      const run = { from, window, checkpoint, cursor: null, isFromBeginning: false };
      if (first !== undefined) return { ...run, first };
    }
    const newestFirst = [...anchors].reverse().slice(0, 5);
    for (const anchor of [...anchors.slice(0, 1), ...newestFirst]) {
      const first = await this.#listFrom(anchor.id, signal);
      if (first === undefined) continue;
      // The service always accepts a read from the beginning, so only this case can hide a gap.
      if (anchor.id === beginning) await this.#checkGap(first, checkpoint);
      const window = new OverlapWindow(poll, [anchor], horizon);
      const isAtCursor = anchor.id === cursor;
      const run = { from: 'overlap', checkpoint, cursor: isAtCursor ? null : cursor } as const;
      return { ...run, first, window, isFromBeginning: false };
    }
    const first = await this.#list(undefined, signal);
    await this.#checkGap(first, checkpoint);
    const window = new OverlapWindow(poll, [], horizon);
    return { from: 'overlap', first, window, checkpoint, cursor, isFromBeginning: true };
  }

  async #checkGap({ items: [oldest] }: EventPage, checkpoint: Checkpoint): Promise<void> {
    const { cursor, horizon } = checkpoint;
    if (oldest === undefined || horizon === null) return;
    if (Date.parse(oldest.created_at) <= Date.parse(horizon)) return;
    const { id, created_at } = oldest;
    const gap = new HistoryGapError({ cursor, horizon, oldest: { id, created_at } });
    if ((await this.#options.onGap(gap)) !== 'from_beginning') throw gap;
  }

  async #readRun(run: Run, signal: AbortSignal | undefined): Promise<PollReport> {
    const { store, onProgress } = this.#options;
    let { cursor } = run;
    const report = { read: 0, added: 0, late: 0, skipped: 0 };
    for await (const { items, isLast } of this.#pages(run.first, signal)) {
      const { overlap, fresh, found } = splitAtCursor(items, cursor);
      if (found) cursor = null;
      this.#narrowSkipped(items);
      for (const event of items) run.window.add(event);
      // A checkpoint within the overlap would move back. At the end it records when the history was read.
      const next = found || isLast ? this.#toCheckpoint(run) : undefined;
      const unhandled = overlap.filter((event) => this.#isUnhandled(event, run));
      const events = [...unhandled, ...fresh];
      const isNews = events.length > 0 || run.from === 'overlap' || run.checkpoint === undefined;
      const added = isNews ? await store(events, next) : [];
      for (const { id } of events) this.#read.add(id);
      const isLate = new Set(unhandled.map(({ id }) => id));
      report.read += items.length;
      report.added += added.length;
      report.late += added.filter((id) => isLate.has(id)).length;
      const last = items.at(-1);
      if (last !== undefined) onProgress({ ...report, upTo: last.created_at });
    }
    return report;
  }

  /** If the reading began at an id of unknown age, the first event after it shows that age. */
  #narrowSkipped([first]: readonly MarketEvent[]): void {
    if (first === undefined || this.#skipped?.before !== null) return;
    this.#skipped = skippedBefore(this.#skipped, first, this.#options.poll.overlapMs);
  }

  /** Without this, an event of the overlap whose id was pruned since would be handled again. */
  #isUnhandled({ created_at }: MarketEvent, { isFromBeginning, checkpoint }: Run): boolean {
    const { keepDoneMs, time, poll } = this.#options;
    const createdAt = Date.parse(created_at);
    const horizon = checkpoint?.horizon ?? null;
    if (isFromBeginning && horizon !== null) {
      return createdAt >= Date.parse(horizon) - poll.overlapMs;
    }
    return !(createdAt < time.clock() - keepDoneMs + clockSkewMs);
  }

  /** Reads the whole history to learn where its end is: the API has no other way to say it. */
  async #skipAll(from: PollFrom, signal: AbortSignal | undefined): Promise<PollReport> {
    const { poll, onProgress, store, readCheckpoint } = this.#options;
    const window = new OverlapWindow({ overlapEvents: 0, overlapMs: 0 }, [], null);
    let newest: MarketEvent[] = [];
    let skipped = 0;
    const first = await this.#list(undefined, signal);
    for await (const { items } of this.#pages(first, signal)) {
      for (const event of items) window.add(event);
      // A long history must not be collected in memory.
      window.trim();
      skipped += items.length;
      newest = [...newest, ...items].slice(-maxSkippedIds);
      const last = items.at(-1);
      const report = { read: skipped, added: 0, late: 0, skipped };
      if (last !== undefined) onProgress({ ...report, upTo: last.created_at });
    }
    // Another reading found the end first: what came since is to be handled.
    if ((await readCheckpoint()) !== undefined) return this.poll(from, signal);
    if (newest.length > 0) this.#skipped = skippedUpTo(newest, poll.overlapMs);
    const end = this.#toCheckpoint({ from: 'overlap', window, checkpoint: undefined });
    // The overlap of the next poll must not reach back into what is skipped.
    await store([], { ...end, anchors: end.anchors.slice(-1) });
    return { read: skipped, added: 0, late: 0, skipped };
  }

  #toCheckpoint({ from, window, checkpoint }: Pick<Run, 'from' | 'window' | 'checkpoint'>) {
    const place = window.toPlace();
    const at = new Date(this.#options.time.clock()).toISOString();
    this.#horizon = place.horizon;
    return {
      ...place,
      at,
      overlapReadAt: from === 'overlap' ? at : checkpoint?.overlapReadAt,
      partnerId: this.#partnerId,
      skipped: this.#skipped,
    } satisfies Checkpoint;
  }

  #pages(first: EventPage, signal: AbortSignal | undefined) {
    return pagesOf(first, { signal, onUnusable: this.#options.onUnusable });
  }

  /** `undefined`: the service refuses this place. */
  #listFrom(id: string, signal: AbortSignal | undefined): Promise<EventPage | undefined> {
    return unlessRefused(this.#list(id === beginning ? undefined : id, signal));
  }

  async #list(afterId: string | undefined, signal: AbortSignal | undefined): Promise<EventPage> {
    const { market, poll } = this.#options;
    const query = { limit: poll.pageSize, ...(afterId === undefined ? {} : { after_id: afterId }) };
    return market.events.list(query, { signal });
  }
}

/** The service's clock and ours may differ (specification, part 5), and a prune takes time. */
const clockSkewMs = 3_600_000;

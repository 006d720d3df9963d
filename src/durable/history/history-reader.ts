/** `HistoryReader`: reads the history from a checkpoint on and passes on each page, in order. */

import { RecentEvents } from '../../webhooks/handler/deduplication/recent-events.js';
import type { MarketEvent } from '../../webhooks/events.js';
import { parseServiceTime } from '../../core/service-time.js';
import type { Checkpoint } from '../queue/job.js';
import type { Time } from '../../core/time/sleep.js';
import { pagesOf, type EventPage } from './event-pages.js';
import { beginning, OverlapWindow } from './overlap-window.js';
import {
  maxSkippedIds,
  skippedBefore,
  skippedUpTo,
  wasSkipped,
  type SkippedEvents,
} from './skipped-events.js';
import {
  listAfter,
  startReading,
  type PollFrom,
  type Reading,
  type StartOptions,
} from './start-reading.js';

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

export interface HistoryReaderOptions extends StartOptions {
  readonly time: Time;
  readonly readCheckpoint: () => Promise<Checkpoint | undefined>;
  /** Stores events, then the checkpoint; resolves with the ids of those that are new. */
  readonly store: (
    events: readonly MarketEvent[],
    checkpoint: Checkpoint | undefined,
  ) => Promise<readonly string[]>;
  /** Ids of done events are remembered for at least this long. */
  readonly keepDoneMs: number;
  readonly onProgress: (progress: PollProgress) => void;
  /** Receives each record of the history that cannot be stored, and why. */
  readonly onUnusable: (record: unknown, why: string) => void;
}

export class HistoryReader {
  readonly #options: HistoryReaderOptions;
  readonly #readIds = new RecentEvents();
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
    if ((checkpoint?.cursor ?? null) === null) this.#recordStart();
    const reading = await startReading(this.#options, from, checkpoint, signal);
    return this.#read(reading, signal);
  }

  /** Whether the consumer began after this event, so that no poll will ever store it. */
  wasSkipped(event: MarketEvent): boolean {
    return wasSkipped(this.#skipped, event);
  }

  /** Whether a poll of this process has read the event and stored it. */
  hasRead(id: string): boolean {
    return this.#readIds.has(id);
  }

  /** Whether a later event was read already, so that a poll from the cursor cannot find this one. */
  isBehind({ created_at }: MarketEvent): boolean {
    return (
      this.#horizon !== null && parseServiceTime(created_at) <= parseServiceTime(this.#horizon)
    );
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

  async #read(reading: Reading, signal: AbortSignal | undefined): Promise<PollReport> {
    const { store, onProgress } = this.#options;
    let { cursor } = reading;
    const report = { read: 0, added: 0, late: 0, skipped: 0 };
    for await (const { items, isLast } of this.#pages(reading.first, signal)) {
      const { overlap, fresh, found } = splitAtCursor(items, cursor);
      if (found) cursor = null;
      this.#narrowSkipped(items);
      for (const event of items) reading.window.add(event);
      // A checkpoint within the overlap would move back. At the end it records when the history was read.
      const next = found || isLast ? this.#toCheckpoint(reading) : undefined;
      const unhandled = overlap.filter((event) => this.#isUnhandled(event, reading));
      const events = [...unhandled, ...fresh];
      const isNews =
        events.length > 0 || reading.from === 'overlap' || reading.checkpoint === undefined;
      const added = isNews ? await store(events, next) : [];
      for (const { id } of events) this.#readIds.add(id);
      const isLate = new Set(unhandled.map(({ id }) => id));
      report.read += items.length;
      report.added += added.length;
      report.late += added.filter((id) => isLate.has(id)).length;
      const last = items.at(-1);
      if (last !== undefined) onProgress({ ...report, upTo: last.created_at });
    }
    return report;
  }

  /** What came before the place where the consumer begins is skipped. */
  #recordStart(): void {
    const { startFrom } = this.#options;
    if (typeof startFrom === 'object') {
      this.#skipped ??= { before: null, ids: [startFrom.after_id] };
    }
  }

  /** If the reading began at an id of unknown age, the first event after it shows that age. */
  #narrowSkipped([first]: readonly MarketEvent[]): void {
    if (first === undefined || this.#skipped?.before !== null) return;
    this.#skipped = skippedBefore(this.#skipped, first, this.#options.poll.overlapMs);
  }

  /** Without this, an event of the overlap whose id was pruned since would be handled again. */
  #isUnhandled({ created_at }: MarketEvent, { isFromBeginning, checkpoint }: Reading): boolean {
    const { keepDoneMs, time, poll } = this.#options;
    const createdAt = parseServiceTime(created_at);
    const horizon = checkpoint?.horizon ?? null;
    if (isFromBeginning && horizon !== null) {
      return createdAt >= parseServiceTime(horizon) - poll.overlapMs;
    }
    return !(createdAt < time.clock() - keepDoneMs + clockSkewMs);
  }

  /** Reads the whole history to learn where its end is: the API has no other way to say it. */
  async #skipAll(from: PollFrom, signal: AbortSignal | undefined): Promise<PollReport> {
    const { poll, onProgress, store, readCheckpoint } = this.#options;
    const window = new OverlapWindow({ overlapEvents: 0, overlapMs: 0 }, [], null);
    let newest: MarketEvent[] = [];
    let skipped = 0;
    const first = await listAfter(this.#options, beginning, signal);
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

  #toCheckpoint({ from, window, checkpoint }: Pick<Reading, 'from' | 'window' | 'checkpoint'>) {
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
}

/** The service's clock and ours may differ (specification, part 5), and a prune takes time. */
const clockSkewMs = 3_600_000;

/**
 * Splits a page at the event up to which everything was read before.
 *
 * @param cursor - that event's id; `null` once it was passed
 * @returns `found`: the cursor is in this page or before it, so everything later is fresh.
 */
function splitAtCursor<T extends { readonly id: string }>(
  items: readonly T[],
  cursor: string | null,
): { readonly overlap: readonly T[]; readonly fresh: readonly T[]; readonly found: boolean } {
  if (cursor === null) return { overlap: [], fresh: items, found: true };
  const at = items.findIndex(({ id }) => id === cursor);
  // Not in this page: all of it was read before.
  if (at === -1) return { overlap: items, fresh: [], found: false };
  return { overlap: items.slice(0, at + 1), fresh: items.slice(at + 1), found: true };
}

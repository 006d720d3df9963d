/** `HistoryReader`: reads the history from a checkpoint on and hands over each page, in order. */

import type { MarketClient } from '../../client/client.js';
import type { MarketEvent } from '../../webhooks/events.js';
import type { Checkpoint } from '../queue/job.js';
import type { Time } from '../queue/time.js';
import { HistoryGapError } from '../errors.js';
import { pagesOf, type EventPage } from './event-pages.js';
import {
  hasPassed,
  maxPassedIds,
  passedBefore,
  passedUpTo,
  type PassedEvents,
} from './passed-events.js';
import type { PollSettings, StartFrom } from './poll-options.js';
import { Trail } from './trail.js';

/** What one poll did. */
export interface PollReport {
  /** Events that were read, those of the overlap included. */
  readonly read: number;
  /** Events that are new here. */
  readonly added: number;
  /** New events that the history showed behind the checkpoint: the overlap found them. */
  readonly late: number;
  /** Events that were passed without handling: `startFrom: 'now'`. */
  readonly passed: number;
}

/** How far a long poll is. */
export interface PollProgress extends PollReport {
  /** `created_at` of the last event that was read. */
  readonly upTo: string;
}

export interface HistoryReaderOptions {
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
  /** Ids of done events are remembered at least so long. */
  readonly keepDoneMs: number;
  readonly onGap: (
    gap: HistoryGapError,
  ) => 'stop' | 'from_beginning' | PromiseLike<'stop' | 'from_beginning'>;
  readonly onProgress: (progress: PollProgress) => void;
}

/** Where a run of the history begins, and which of its events are old. */
interface Run {
  readonly first: EventPage;
  readonly trail: Trail;
  /** The checkpoint's event: what comes before it was read before. */
  readonly cursor: string | null;
  /** Whether the run began before the oldest anchor: events of that time may have been pruned. */
  readonly isFromBeginning: boolean;
}

export class HistoryReader {
  readonly #options: HistoryReaderOptions;
  /** The partner that deliveries named; stored with the next checkpoint. */
  partnerId: string | undefined;
  /** From the checkpoint; kept for the next, where a process of an older release wrote one between. */
  #passed: PassedEvents | undefined;

  constructor(options: HistoryReaderOptions) {
    this.#options = options;
  }

  /**
   * Reads to the end of the history.
   *
   * @param signal - ends the poll; what was read is stored with its checkpoint
   * @throws {@link HistoryGapError}
   */
  async poll(signal?: AbortSignal): Promise<PollReport> {
    const checkpoint = await this.#options.readCheckpoint();
    this.partnerId ??= checkpoint?.partnerId;
    this.#passed = checkpoint?.passed ?? this.#passed;
    if (checkpoint === undefined && this.#options.startFrom === 'now') {
      return this.#passAll(signal);
    }
    // A checkpoint without a cursor: the history was empty.
    const cursor = checkpoint?.cursor ?? null;
    const isResumed = checkpoint !== undefined && cursor !== null;
    const run = isResumed
      ? await this.#resume(checkpoint, cursor, signal)
      : await this.#begin(signal);
    return this.#read(run, checkpoint, signal);
  }

  /** Whether the consumer began after this event: it is not handled, and no poll will find it. */
  hasPassed(event: MarketEvent): boolean {
    return hasPassed(this.#passed, event);
  }

  async #begin(signal: AbortSignal | undefined): Promise<Run> {
    const { startFrom } = this.#options;
    const afterId = typeof startFrom === 'object' ? startFrom.after_id : undefined;
    if (afterId !== undefined) this.#passed ??= { before: null, ids: [afterId] };
    // The first anchor: an event may become visible before the first that was read.
    const anchor = { id: afterId ?? beginning, created_at: '' };
    const trail = new Trail(this.#options.poll, [anchor], null);
    return {
      first: await this.#list(afterId, signal),
      trail,
      cursor: null,
      isFromBeginning: false,
    };
  }

  /** Starts at the oldest anchor that the service still takes, else at the beginning. */
  async #resume(
    checkpoint: Checkpoint,
    cursor: string,
    signal: AbortSignal | undefined,
  ): Promise<Run> {
    const { anchors, horizon } = checkpoint;
    const newestFirst = [...anchors].reverse().slice(0, 5);
    for (const anchor of [...anchors.slice(0, 1), ...newestFirst]) {
      try {
        const first = await this.#list(anchor.id === beginning ? undefined : anchor.id, signal);
        // The beginning is never refused, wherever it is by now.
        if (anchor.id === beginning) await this.#checkGap(first, checkpoint);
        const trail = new Trail(this.#options.poll, [anchor], horizon);
        const isPast = anchor.id === cursor;
        return { first, trail, cursor: isPast ? null : cursor, isFromBeginning: false };
      } catch (error) {
        if (!isRefusedPlace(error)) throw error;
      }
    }
    const first = await this.#list(undefined, signal);
    await this.#checkGap(first, checkpoint);
    const trail = new Trail(this.#options.poll, [], horizon);
    return { first, trail, cursor, isFromBeginning: true };
  }

  async #checkGap({ items: [oldest] }: EventPage, checkpoint: Checkpoint): Promise<void> {
    const { cursor, horizon } = checkpoint;
    if (oldest === undefined || horizon === null) return;
    if (Date.parse(oldest.created_at) <= Date.parse(horizon)) return;
    const { id, created_at } = oldest;
    const gap = new HistoryGapError({ cursor, horizon, oldest: { id, created_at } });
    if ((await this.#options.onGap(gap)) !== 'from_beginning') throw gap;
  }

  async #read(
    run: Run,
    checkpoint: Checkpoint | undefined,
    signal: AbortSignal | undefined,
  ): Promise<PollReport> {
    const { store, onProgress } = this.#options;
    let { cursor } = run;
    const report = { read: 0, added: 0, late: 0, passed: 0 };
    for await (const { items, isLast } of pagesOf(run.first, signal)) {
      const before = cursor === null ? -1 : items.findIndex(({ id }) => id === cursor);
      const oldCount = cursor === null ? 0 : before === -1 ? items.length : before + 1;
      const old = new Set(items.slice(0, oldCount).map(({ id }) => id));
      if (before !== -1) cursor = null;
      const [first] = items;
      if (first !== undefined && this.#passed?.before === null) {
        this.#passed = passedBefore(this.#passed, first, this.#options.poll.overlapMs);
      }
      for (const event of items) run.trail.add(event);
      // Within the overlap a checkpoint would move back; at the end it says when we looked.
      const next = cursor === null || isLast ? this.#checkpoint(run.trail) : undefined;
      const events = items.filter(
        (event) => !old.has(event.id) || this.#mayBeNew(event, run, checkpoint),
      );
      const added = await store(events, next);
      report.read += items.length;
      report.added += added.length;
      report.late += added.filter((id) => old.has(id)).length;
      const last = items.at(-1);
      if (last !== undefined) onProgress({ ...report, upTo: last.created_at });
    }
    return report;
  }

  /** An event of the overlap whose id was pruned since would be handled again. */
  #mayBeNew({ created_at }: MarketEvent, run: Run, checkpoint: Checkpoint | undefined): boolean {
    const { keepDoneMs, time, poll } = this.#options;
    const createdAt = Date.parse(created_at);
    const horizon = checkpoint?.horizon ?? null;
    if (run.isFromBeginning && horizon !== null) {
      return createdAt >= Date.parse(horizon) - poll.overlapMs;
    }
    return !(createdAt < time.clock() - keepDoneMs + clockSkewMs);
  }

  /** The API has no other way to know where "now" is. */
  async #passAll(signal: AbortSignal | undefined): Promise<PollReport> {
    const trail = new Trail({ ...this.#options.poll, overlapEvents: 0, overlapMs: 0 }, [], null);
    const { overlapMs } = this.#options.poll;
    let passed = 0;
    let newest: MarketEvent[] = [];
    for await (const { items } of pagesOf(await this.#list(undefined, signal), signal)) {
      for (const event of items) trail.add(event);
      passed += items.length;
      newest = [...newest, ...items].slice(-maxPassedIds);
      trail.checkpoint(0, undefined);
      const last = items.at(-1);
      const report = { read: passed, added: 0, late: 0, passed };
      if (last !== undefined) this.#options.onProgress({ ...report, upTo: last.created_at });
    }
    if (newest.length > 0) this.#passed = passedUpTo(newest, overlapMs);
    const end = this.#checkpoint(trail);
    const anchors = end.anchors.slice(-1);
    await this.#options.store([], { ...end, anchors });
    return { read: passed, added: 0, late: 0, passed };
  }

  #checkpoint(trail: Trail): Checkpoint {
    const checkpoint = trail.checkpoint(this.#options.time.clock(), this.partnerId);
    return this.#passed === undefined ? checkpoint : { ...checkpoint, passed: this.#passed };
  }

  #list(afterId: string | undefined, signal: AbortSignal | undefined): Promise<EventPage> {
    const { market, poll } = this.#options;
    const query = { limit: poll.pageSize, ...(afterId === undefined ? {} : { after_id: afterId }) };
    return market.events.list(query, { signal }).then((page) => page);
  }
}

/** The anchor before the first event of the history: no event has this id. */
const beginning = '';

/** The service's clock and ours may differ (specification, part 5), and a prune takes time. */
const clockSkewMs = 3_600_000;

/** Whether the service refused `after_id`: the event has expired, or the history was replaced. */
function isRefusedPlace(error: unknown): boolean {
  const { status, code } = Object(error) as { status?: unknown; code?: unknown };
  return typeof code === 'string' && [400, 404, 410, 422].includes(status as number);
}

/** `Polling`: when the history is read, which callers share a poll, and its result. */

import type { SafeLogger } from '../../core/logger.js';
import type { MarketEvent } from '../../webhooks/events.js';
import { isAborted, raceWithAbort, withAnySignal } from '../../core/time/signals.js';
import { runWithin } from '../../core/time/timeout.js';
import { notify, summarizeError } from '../callbacks.js';
import { publish } from '../diagnostics.js';
import type { Time } from '../../core/time/sleep.js';
import type { HistoryGapError } from '../errors.js';
import {
  HistoryReader,
  type HistoryReaderOptions,
  type PollProgress,
  type PollReport,
} from '../history/history-reader.js';
import type { PollSettings, StartFrom } from '../history/poll-options.js';
import { sharePolls } from '../history/shared-poll.js';
import type { HistorySource, PollFrom } from '../history/start-reading.js';
import { RecentEvents } from '../../webhooks/handler/deduplication/recent-events.js';
import type { AnnouncedEvents } from './announced-events.js';

/** What a poll of an inbox did. */
export interface InboxPollReport extends PollReport {
  /** New events of this process's polls for which no webhook reached this process. */
  readonly missedWebhooks: number;
}

/** Where events go. */
export interface EventSink extends Pick<HistoryReaderOptions, 'readCheckpoint' | 'store'> {
  /** Whether the event is stored. */
  has(event: MarketEvent): Promise<boolean>;
}

/** The options that an inbox and `pollEvents` have in common. */
export interface IntakeOptions {
  /** Reads the history. Scope: `webhook`. */
  readonly market: HistorySource;
  /** Where a consumer that has no checkpoint begins. */
  readonly startFrom: StartFrom;
  /**
   * Decides what happens when the history no longer reaches back to the checkpoint. Default:
   * `'from_beginning'`. An error is logged, `status().gap` is set, and what is left is read, so that later
   * refunds are not missed too; `reconcile` finds what the lost events said. With `'stop'` nothing is
   * stored until another decision: `start` and each poll reject with the gap, and deliveries get 503.
   */
  readonly onGap?:
    | ((gap: HistoryGapError) => 'stop' | 'from_beginning' | PromiseLike<'stop' | 'from_beginning'>)
    | undefined;
  /** Receives a report for each page of a poll: for long catch-ups. */
  readonly onProgress?: ((progress: PollProgress) => unknown) | undefined;
}

export interface IntakeSettings extends IntakeOptions {
  /** The inbox's name, for the diagnostics channels. */
  readonly name: string;
  readonly poll: PollSettings;
  readonly time: Time;
  readonly keepDoneMs: number;
  readonly logger: SafeLogger;
  readonly sink: EventSink;
  /** What deliveries announced. */
  readonly announced: AnnouncedEvents;
  /** Runs a poll with the signal that ends it. */
  readonly run: <T>(task: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

/** Between polls that deliveries wait for: a burst of deliveries costs a few requests a second. */
const spacingMs = 500;

/** How long `begin` waits for the first poll: a history that hangs must not hold up a deployment. */
const firstPollMs = 5_000;

/** Because of deliveries, the overlap is read for at most a tenth of the time. */
const restPerOverlapRead = 9;

export class Polling {
  readonly reader: HistoryReader;
  /** Reads the history now, overlap included. Calls at the same time share one poll. */
  readonly poll: () => Promise<InboxPollReport>;
  /** Reads what is new, in one request. Shared as well; in a burst a few a second. */
  readonly pollFromCursor: () => Promise<InboxPollReport>;
  /** How the polls of this process went. */
  readonly status = {
    lastPollAt: 0,
    lastPollError: null as string | null,
    late: 0,
    gap: null as HistoryGapError | null,
  };
  readonly #settings: IntakeSettings;
  readonly #afterOverlap: () => Promise<void>;
  readonly #unusable = new RecentEvents();
  readonly #overlapRead = { endedAt: 0, tookMs: 0 };

  /** @param afterOverlap - called after each poll that read the overlap */
  constructor(settings: IntakeSettings, afterOverlap: () => Promise<void>) {
    const { announced, time, logger, sink, run } = settings;
    this.#settings = settings;
    this.#afterOverlap = afterOverlap;
    this.reader = new HistoryReader({
      ...settings,
      readCheckpoint: () => sink.readCheckpoint(),
      store: async (events, checkpoint) => {
        const added = await sink.store(events, checkpoint);
        announced.recordPolled(added);
        return added;
      },
      onGap: (gap) => this.#decideGap(gap),
      onProgress: (progress) => void notify(() => settings.onProgress?.(progress), logger),
      onUnusable: (record, why) => this.#reportUnusable(record, why),
    });
    this.poll = sharePolls(() => run((signal) => this.#read('overlap', signal)));
    const readFromCursor = () => run((signal) => this.#read('cursor', signal));
    this.pollFromCursor = sharePolls(readFromCursor, { time, ms: spacingMs });
  }

  /**
   * The first poll. A failure that may pass does not reject: the poll is then repeated in the
   * background, and `status` says so.
   *
   * @throws {@link HistoryGapError}, or the client's error that a credential was refused
   */
  async begin(signal: AbortSignal): Promise<void> {
    const { time, run } = this.#settings;
    const first = this.poll();
    try {
      await runWithin(time, firstPollMs, () => first);
      return;
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error;
    }
    // Not awaited, and its failures are logged: only a stop ends it early.
    run((stopped) => this.#repeatUntilRead(first, stopped)).catch(() => undefined);
  }

  async #repeatUntilRead(first: Promise<unknown>, stopped: AbortSignal): Promise<void> {
    const { time, logger, poll } = this.#settings;
    let attempt = first;
    for (let failures = 1; ; failures += 1) {
      try {
        await attempt;
        return;
      } catch (error) {
        if (stopped.aborted) return;
        const retryInMs = Math.min(poll.everyMs, 1_000 * 2 ** Math.min(failures - 1, 20));
        const fields = { failures, retryInMs, error: summarizeError(error) };
        logger.warn('The first poll of the history failed. The outbox will retry.', fields);
        await time.sleep(retryInMs, stopped);
      }
      if (isAborted(stopped)) return;
      attempt = this.poll();
    }
  }

  /**
   * A poll that is not shared: its end must not fail the deliveries that share one.
   *
   * @returns Why it failed.
   */
  async pollUntil(end: AbortSignal): Promise<unknown> {
    const { run, logger } = this.#settings;
    try {
      await run((stopped) =>
        withAnySignal(stopped, end, (signal) => raceWithAbort(this.#read('overlap', signal), end)),
      );
      return undefined;
    } catch (error) {
      if (end.aborted) return undefined;
      logger.warn('A poll of the history failed; the next one reads everything.', {
        error: summarizeError(error),
      });
      return error;
    }
  }

  /** Polls, unless another process did just now. */
  async pollUnlessRecent(): Promise<void> {
    const { sink, time, poll } = this.#settings;
    const checkpoint = await sink.readCheckpoint();
    const readAt = Date.parse(checkpoint?.overlapReadAt ?? checkpoint?.at ?? '');
    const ageMs = time.clock() - readAt;
    // A time in the future comes from a wrong clock and must not hold up the polls.
    const isRecent = ageMs >= 0 && ageMs < poll.everyMs * 0.8;
    if (!isRecent) await this.poll();
  }

  /** Polls for an event that the cursor's page did not have: it may be behind the cursor. */
  pollFor(event: MarketEvent): Promise<unknown> {
    const { endedAt, tookMs } = this.#overlapRead;
    const restedMs = this.#settings.time.clock() - endedAt;
    const mayReadOverlap = restedMs < 0 || restedMs >= tookMs * restPerOverlapRead;
    return mayReadOverlap && this.reader.isBehind(event) ? this.poll() : this.pollFromCursor();
  }

  async #read(from: PollFrom, signal: AbortSignal): Promise<InboxPollReport> {
    const { announced, time, name, logger } = this.#settings;
    const begunAt = time.clock();
    try {
      const report = await this.reader.poll(from, signal);
      this.status.lastPollError = null;
      this.status.late += report.late;
      const now = (this.status.lastPollAt = time.clock());
      const result = { ...report, missedWebhooks: announced.sweepMissed(now) };
      publish('poll', { consumer: name, ...result });
      if (from === 'overlap') void notify(this.#afterOverlap, logger);
      return result;
    } catch (error) {
      if (!signal.aborted) this.status.lastPollError = summarizeError(error);
      throw error;
    } finally {
      const endedAt = time.clock();
      const tookMs = endedAt - begunAt;
      if (from === 'overlap') Object.assign(this.#overlapRead, { endedAt, tookMs });
    }
  }

  async #decideGap(gap: HistoryGapError): Promise<'stop' | 'from_beginning'> {
    const { name, onGap, logger } = this.#settings;
    this.status.gap = gap;
    publish('gap', { consumer: name, cursor: gap.cursor, oldest: gap.oldest });
    if (onGap !== undefined) return onGap(gap);
    logger.error('The history lost events that were never read; intake goes on with the rest.', {
      error: summarizeError(gap),
    });
    return 'from_beginning';
  }

  #reportUnusable(record: unknown, why: string): void {
    const { id } = Object(record) as { id?: unknown };
    const shown = String(typeof id === 'string' ? id.toWellFormed() : id).slice(0, 100);
    // Each poll of the overlap reads it again.
    if (this.#unusable.has(shown)) return;
    this.#unusable.add(shown);
    this.#settings.logger.error('The history has an event that cannot be stored; it is skipped.', {
      id: shown,
      why,
    });
  }
}

const finalErrors = ['HistoryGapError', 'AuthenticationError', 'ForbiddenError'];

/** Whether only a person can end this failure of a poll. */
export function isFinal(error: unknown): boolean {
  const { name } = Object(error) as { name?: unknown };
  return finalErrors.includes(name as string);
}

/** `EventInbox`: the public methods of an inbox. */

import type { WebhookHandler } from '../../webhooks/handler/delivery-handler.js';
import type { QueueCounts } from '../queue/job.js';
import type { ListPage } from '../queue/page.js';
import type { DeadLetter } from './inbox-options.js';
import type { IntakeStatus } from './intake.js';
import type { InboxPollReport } from './polling.js';

/** The status of an inbox. */
export interface InboxStatus extends QueueCounts, IntakeStatus {
  /** Why this process handles no events at the moment; intake goes on. */
  readonly paused: string | null;
  /** Events that this process holds back until the outbox has reported the result of their sale. */
  readonly waitingForSale: number;
}

/** Which dead letters `deadLetters` returns. */
export interface DeadLetterListOptions {
  /** Default: 100. */
  readonly limit?: number | undefined;
  /** Continues after a page: its `nextCursor`. */
  readonly cursor?: string | undefined;
}

/** Dead letters, oldest first. */
export type DeadLetterPage = ListPage<DeadLetter>;

/** What one drain did. */
export interface DrainReport {
  readonly handled: number;
  readonly failed: number;
  readonly dead: number;
  /** Events that still wait or run. */
  readonly left: number;
}

/** What `createEventInbox` returns: the four functions of a webhook handler, and the methods of the inbox. */
export interface EventInbox extends WebhookHandler {
  /**
   * Opens the engine, handles stored events, and reads the history now and from time to time. While
   * the service is down it resolves all the same; `status().lastPollError` says so.
   *
   * @throws {@link HistoryGapError} if `onGap` says `'stop'`, or the client's error that the credential was refused
   */
  start(): Promise<void>;
  /**
   * Claims nothing more, gives listeners `graceMs` to end (default 25,000), and releases the rest.
   * From then on `node` closes the connection with each response, so that a server whose `close` was
   * called can end. After it deliveries get 503, until `start` or `drain`.
   */
  stop(options?: { readonly graceMs?: number | undefined }): Promise<void>;
  /** Reads the history now. Calls at the same time share one poll. */
  poll(): Promise<InboxPollReport>;
  /**
   * For a cron route: polls and handles what is due, until nothing is or `maxMs` has passed. Rejects
   * where `start` does, after it handled what is stored.
   *
   * @throws {@link DurableStateError} when `stop` ends it: what it has handled stays handled.
   */
  drain(options: { readonly maxMs: number }): Promise<DrainReport>;
  status(): Promise<InboxStatus>;
  /** A page of the dead letters; the next one by its `nextCursor`. */
  deadLetters(options?: DeadLetterListOptions): Promise<DeadLetterPage>;
  /** Handles a dead letter again, from attempt 1. `false`: no dead letter has this id. */
  retry(id: string): Promise<boolean>;
  /** Ends a dead letter without handling it; the reason is stored. `false`: no dead letter has this id. */
  discard(id: string, reason: string): Promise<boolean>;
  /** Forgets done events that are older than `keepDoneMs`; runs daily after `start`. */
  prune(): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

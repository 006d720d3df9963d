/**
 * No event is missed, and no paid sale is lost. The **inbox** ({@link createEventInbox}) takes the events of the
 * service, from webhooks and from the history, and handles each until your function succeeds. The **outbox**
 * ({@link createOrderOutbox}) takes the orders that your buyers have paid, and places each exactly once. The
 * **engine** is where both keep their work: {@link memoryEngine} for tests, {@link sqliteEngine} in one process, and
 * `pgBossEngine` of `market-partner-sdk/durable/pg-boss` on PostgreSQL, in several.
 *
 * @module
 */

export type { DurableEngine } from './queue/engine.js';
export type { Checkpoint, QueueCounts } from './queue/job.js';
export type { ListPage } from './queue/page.js';
export type { EnvironmentSource, QueueEnvironment } from './queue/queue-names.js';
export type { TimeOptions } from '../core/time/sleep.js';
export type { RetryPolicy } from './backoff.js';
export type { DurableTracing, EventSpan, OrderSpan, TraceContext } from './tracing.js';
export {
  DurableConfigurationError,
  DurableStateError,
  HistoryGapError,
  LeaseLostError,
  ResultTimeoutError,
  OutboxConflictError,
} from './errors.js';
export type { PollProgress, PollReport } from './history/history-reader.js';
export type { PollOptions, StartFrom } from './history/poll-options.js';
export { createEventInbox } from './inbox/event-inbox.js';
export type {
  DeadLetterListOptions,
  DeadLetterPage,
  DrainReport,
  EventInbox,
  InboxStatus,
} from './inbox/inbox-api.js';
export type {
  AttemptContext,
  CommitContext,
  EventContext,
  EventListeners,
  ListenerOptions,
} from './inbox/event-listeners.js';
export type { DeadLetter, EventInboxOptions } from './inbox/inbox-options.js';
export type { IntakeStatus } from './inbox/intake.js';
export type { InboxPollReport, IntakeOptions } from './inbox/polling.js';
export { memoryEngine } from './memory/memory-engine.js';
export type {
  SqliteDatabase,
  SqliteHandle,
  SqliteStatement,
  SqliteValue,
} from './sqlite/database.js';
export { sqliteSchema } from './sqlite/schema.js';
export { sqliteEngine, type SqliteEngineOptions } from './sqlite/sqlite-engine.js';
export type { CancelResult } from './outbox/cancel-intent.js';
export { createOrderOutbox } from './outbox/order-outbox.js';
export type { OrderOutbox, OutboxDrainReport, WaitForOptions } from './outbox/outbox-api.js';
export type { OrderOutboxOptions } from './outbox/outbox-options.js';
export type { AddOptions } from './outbox/outbox-store.js';
export type {
  Attention,
  NotRefunded,
  PaidSale,
  OutboxContext,
  OutboxEntry,
  OutboxListOptions,
  OutboxPage,
  OutboxRefund,
  OutboxState,
  OutboxStatus,
  RecoverProblem,
  RecoverStatus,
  RefundRequest,
  Refusal,
} from './outbox/outbox-types.js';
export type { Resolution } from './outbox/resolve-intent.js';
export { pollEvents, type EventRelay, type PollEventsOptions } from './relay/poll-events.js';

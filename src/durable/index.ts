export type {
  DurableEngine,
  DurableQueue,
  EnqueueOptions,
  EngineTraits,
  QueueSpec,
  WorkOptions,
} from './queue/engine.js';
export type {
  Checkpoint,
  ClaimedJob,
  Job,
  JobListOptions,
  JobPage,
  JobRecord,
  JobResult,
  JobState,
  QueueCounts,
} from './queue/job.js';
export type { TimeOptions } from './queue/time.js';
export type { RetryPolicy } from './backoff.js';
export type { DurableTracing, EventSpan, OrderSpan, TraceCarrier } from './tracing.js';
export {
  DurableConfigurationError,
  DurableStateError,
  HistoryGapError,
  LeaseLostError,
  VerdictTimeoutError,
  OutboxConflictError,
} from './errors.js';
export type { PollProgress, PollReport } from './history/history-reader.js';
export type { PollOptions, StartFrom } from './history/poll-options.js';
export {
  createEventInbox,
  type DrainReport,
  type EventInbox,
  type InboxStatus,
} from './inbox/event-inbox.js';
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
export type { SqliteDatabase, SqliteStatement, SqliteValue } from './sqlite/database.js';
export { sqliteSchema } from './sqlite/schema.js';
export { sqliteEngine, type SqliteEngineOptions } from './sqlite/sqlite-engine.js';
export type { CancelResult } from './outbox/cancel-intent.js';
export { createOrderOutbox } from './outbox/order-outbox.js';
export type { OrderOutbox, OutboxDrainReport, WaitForOptions } from './outbox/outbox-api.js';
export type { OrderOutboxOptions } from './outbox/outbox-options.js';
export type { AddOptions } from './outbox/outbox-store.js';
export type {
  Attention,
  OrderIntent,
  OutboxContext,
  OutboxEntry,
  OutboxListOptions,
  OutboxPage,
  OutboxState,
  OutboxStatus,
  Refusal,
} from './outbox/outbox-types.js';
export type { Resolution } from './outbox/resolve-intent.js';
export { pollEvents, type EventRelay, type PollEventsOptions } from './relay/poll-events.js';

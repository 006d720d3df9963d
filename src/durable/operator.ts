/** What the command line needs of the durable part: the engines, the queues and outboxes in them, and what may be done there. */

export { isRefusedCursor } from './history/event-pages.js';
export { toDeadLetter, type InboxCheckpoint } from './inbox/event-store.js';
export { reconcileOutbox } from './outbox/books.js';
export { listEntries } from './outbox/list-entries.js';
export { OutboxStore, type OutboxHealth } from './outbox/outbox-store.js';
export type { OutboxEntry } from './outbox/outbox-types.js';
export { retryIntent } from './outbox/resolve-intent.js';
export type { PgClientLike } from './pg-boss/boss.js';
export { checkpointDdl, pageIndexDdl, queueDdl, schemaName } from './pg-boss/checkpoints.js';
export { startEngine, type BossClass, type PoolClass } from './pg-boss/connect.js';
export { pgBossEngine } from './pg-boss/pg-boss-engine.js';
export type { DurableQueue, QueueEngine } from './queue/engine.js';
export { isAbandoned } from './queue/job.js';
export {
  parseQueueName,
  QueueNames,
  type QueueEnvironment,
  type QueueParts,
} from './queue/queue-names.js';
export { moveQueue, type MovedJobs } from './queue/move-queue.js';
export { useQueue } from './queue/use-queue.js';
export { findNodeSqlite, resolvePath, type SqliteDatabase } from './sqlite/database.js';
export { sqliteSchema } from './sqlite/schema.js';
export { sqliteEngine } from './sqlite/sqlite-engine.js';

/** `market-partner-sdk/durable/bullmq`: the durable engine on Redis, by BullMQ. */

export { bullmqEngine, type BullmqEngineOptions } from './bullmq-engine.js';
export type {
  BullBaseLike,
  BullBulkJob,
  BullJobOptions,
  BullQueueClass,
  BullQueueLike,
  BullQueueOptions,
  BullState,
  BullWorkerClass,
  BullWorkerLike,
  BullWorkerOptions,
} from './bullmq.js';

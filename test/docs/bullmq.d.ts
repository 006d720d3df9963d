/** What the snippets call of BullMQ, where it is not installed. */

import type { BullQueueClass, BullWorkerClass } from 'market-partner-sdk/durable/bullmq';

export const Queue: BullQueueClass;
export const Worker: BullWorkerClass;

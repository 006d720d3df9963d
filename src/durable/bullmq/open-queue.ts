/** `openQueue`: puts a queue together of its shards, their held keys and their connections. */

import type { DurableQueue, QueueSpec } from '../engine/engine.js';
import type { Latch } from '../engine/latch.js';
import type { Time } from '../engine/time.js';
import { createQueue } from '../engine/worker.js';
import type { RedisLike } from './bullmq.js';
import { BullmqStore } from './bullmq-store.js';
import {
  closeAll,
  openQueues,
  openWorkers,
  type ConnectionSettings,
  type OpenedWorkers,
} from './connections.js';
import { HeldKeys } from './held-keys.js';
import { QueueJobs } from './queue-jobs.js';
import { QueueState } from './queue-state.js';
import { Shard } from './shard.js';
import { WakeStream } from './wake-stream.js';

/** How often to look for jobs, should a wake be lost. */
const pollMs = 500;

/** @param checkServer - is called once the connection stands */
export async function openQueue(
  spec: QueueSpec,
  settings: ConnectionSettings,
  time: Time,
  latches: Set<Latch>,
  checkServer: (redis: RedisLike) => Promise<void>,
): Promise<DurableQueue> {
  const { queues, redis } = await openQueues(settings);
  // Beside BullMQ's own keys, whose queues are named `name-0`, `name-1` and so on.
  const keyOf = (part: string) => `${settings.prefix}:${spec.name}:${part}`;
  const state = new QueueState(redis, keyOf('state'));
  try {
    await checkServer(redis);
    await state.checkShards(queues.length, (stored) => areEmpty(settings, spec.name, stored));
    for (const queue of queues) await queue.setGlobalConcurrency(1);
  } catch (error) {
    await closeAll(queues);
    throw error;
  }
  const { leaseMs, onDeadLetter } = spec;
  const held = queues.map(
    (queue, index) =>
      new HeldKeys({
        ...{ redis, queue, setKey: keyOf(`held-${index}`), counterKey: keyOf(`places-${index}`) },
        deadHold: onDeadLetter === 'block',
      }),
  );
  const wakes = new WakeStream(keyOf('wakes'));
  let opened: OpenedWorkers | undefined;
  const store = new BullmqStore({
    ...{ spec, clock: time.clock, redis, state, held, wakes },
    jobs: new QueueJobs(queues, redis, spec),
    openShards: async () => {
      opened = await openWorkers(settings);
      wakes.listen(opened.blockingRedis, time.sleep, () => {
        for (const latch of latches) latch.set();
      });
      return opened.workers.flatMap((worker, index) => {
        const ofShard = held[index];
        return ofShard ? [new Shard({ worker, held: ofShard, onDeadLetter, leaseMs })] : [];
      });
    },
    close: async () => {
      wakes.close();
      await closeAll(opened?.workers ?? []);
      await closeAll(queues);
    },
  });
  return createQueue(store, { time, leaseMs, pollMs }, latches);
}

/** Whether the queue's shards hold no job, done ones included: their ids must stay known. */
async function areEmpty(
  settings: ConnectionSettings,
  name: string,
  shards: number,
): Promise<boolean> {
  const names = Array.from({ length: shards }, (_, index) => `${name}-${index}`);
  const { queues } = await openQueues({ ...settings, names });
  try {
    const counts = await Promise.all(queues.map((queue) => queue.getJobCounts()));
    return counts.every((ofShard) => Object.values(ofShard).every((count) => count === 0));
  } finally {
    await closeAll(queues);
  }
}

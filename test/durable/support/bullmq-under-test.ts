/** BullMQ on a real Redis, as `engineChecks` takes it. Each subject has a prefix of its own. */

import { randomBytes } from 'node:crypto';
import {
  bullmqEngine,
  type BullQueueClass,
  type BullWorkerClass,
} from 'market-partner-sdk/durable/bullmq';
import type { EngineUnderTest } from 'market-partner-sdk/durable/testing';
import { onTestFinished } from 'vitest';
import { startCuttableProxy } from './cuttable-proxy.js';
import { freezableTime } from './freezable-time.js';
import { dropPrefix } from './redis-keys.mjs';
import { addressOf, findPackage } from './servers.js';

export const bullmq = findPackage('bullmq') as
  { Queue: BullQueueClass; Worker: BullWorkerClass } | undefined;

interface RedisClient {
  ping(): Promise<string>;
  zrangebylex(...args: unknown[]): Promise<string[]>;
  disconnect(): void;
}

const ioredis = findPackage('ioredis') as
  { Redis: new (options: object) => RedisClient } | undefined;

/** A client as a partner makes it for BullMQ. */
export function openClient(connection: object) {
  if (ioredis === undefined) throw new Error('ioredis is not installed');
  return new ioredis.Redis({ ...connection, maxRetriesPerRequest: null });
}

/** What a person can do to a job in a dashboard. */
interface DashboardJob {
  promote(): Promise<void>;
  remove(): Promise<void>;
}

/** The jobs of the queue `orders` in a state, as a dashboard shows them. */
export async function jobsOfDashboard(
  connection: object,
  prefix: string,
  state: 'delayed' | 'failed',
): Promise<DashboardJob[]> {
  if (bullmq === undefined) throw new Error('bullmq is not installed');
  const jobs: unknown[] = [];
  for (const shard of [0, 1, 2, 3]) {
    const queue = new bullmq.Queue(`orders-${shard}`, { connection, prefix });
    onTestFinished(() => queue.close());
    jobs.push(...(await queue.getJobs([state], 0, -1, true)));
  }
  return jobs as DashboardJob[];
}

/** @param url - of the Redis that is tested on */
export async function bullmqUnderTest(url: URL): Promise<EngineUnderTest<never>> {
  if (bullmq === undefined) throw new Error('bullmq is not installed');
  const { Queue, Worker } = bullmq;
  const prefix = `{mp_${randomBytes(6).toString('hex')}}`;
  const proxy = await startCuttableProxy(addressOf(url));
  const connection = { host: '127.0.0.1', port: proxy.port };
  const time = freezableTime(100);
  return {
    engine: bullmqEngine({ Queue, Worker, connection, prefix, ...time.options }),
    another: () => bullmqEngine({ Queue, Worker, connection, prefix }),
    crash: time.freeze,
    interrupt: (ms) => proxy.cut(ms),
    close: async () => {
      await dropPrefix(url.href, prefix);
      await proxy.close();
    },
  };
}

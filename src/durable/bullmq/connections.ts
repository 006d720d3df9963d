/** `openQueues` and `openWorkers`: the partner's classes on few connections, which end no process. */

import { DurableConfigurationError } from '../errors.js';
import type {
  BullBaseLike,
  BullQueueClass,
  BullQueueLike,
  BullWorkerClass,
  BullWorkerLike,
  RedisLike,
} from './bullmq.js';

/** What the queues and workers of one queue of ours are opened with. */
export interface ConnectionSettings {
  readonly Queue: BullQueueClass;
  readonly Worker: BullWorkerClass;
  readonly connection: object;
  readonly prefix: string;
  /** The names of the shards. */
  readonly names: readonly string[];
  readonly leaseMs: number;
  /** Node ends the process at an "error" event that nobody listens to. */
  readonly onError: (error: Error) => void;
}

/** Queues that share a connection. A call fails when one attempt to reconnect has failed. */
export interface OpenedQueues {
  readonly queues: readonly BullQueueLike[];
  readonly redis: RedisLike;
}

/** Workers that share a connection, on which a call waits until a lost server is back. */
export interface OpenedWorkers {
  readonly workers: readonly BullWorkerLike[];
  /** A connection for reads that block. */
  readonly blockingRedis: RedisLike;
}

/** A stalled job is one whose worker died: nothing limits how often. */
const maxStalledCount = 1_000_000_000;

export async function openQueues(settings: ConnectionSettings): Promise<OpenedQueues> {
  const { Queue, prefix, names, connection, onError } = settings;
  const [firstName = '', ...otherNames] = names;
  const limits = isClient(connection) ? connection : { maxRetriesPerRequest: 1, ...connection };
  const first = new Queue(firstName, { connection: limits, prefix, skipVersionCheck: true });
  const client = await firstOf(first, onError);
  const others = otherNames.map((name) => {
    const queue = new Queue(name, { connection: client, prefix, skipVersionCheck: true });
    queue.on('error', onError);
    return queue;
  });
  return { queues: [first, ...others], redis: client };
}

export async function openWorkers(settings: ConnectionSettings): Promise<OpenedWorkers> {
  const { Worker, prefix, names, leaseMs, connection, onError } = settings;
  const open = (name: string, on: object) => {
    const worker = new Worker(name, null, {
      ...{ connection: on, prefix, skipVersionCheck: true, autorun: false, maxStalledCount },
      ...{ lockDuration: leaseMs, stalledInterval: Math.max(1, Math.ceil(leaseMs / 2)) },
    });
    worker.on('error', onError);
    return worker;
  };
  const [firstName = '', ...otherNames] = names;
  const waiting = isClient(connection) ? connection : { ...connection, maxRetriesPerRequest: null };
  const first = open(firstName, waiting);
  const client = Object(await first.getBackend().client) as object;
  const workers = [first, ...otherNames.map((name) => open(name, client))];
  for (const worker of workers) await worker.startStalledCheckTimer();
  return { workers, blockingRedis: (await first.getBackend().blockingClient) as RedisLike };
}

/** The connection of a queue; rejects where the server is not there, instead of waiting for it. */
async function firstOf(queue: BullQueueLike, onError: (error: Error) => void): Promise<RedisLike> {
  let isOpen = false;
  const failed = new Promise<never>((_resolve, reject) => {
    queue.on('error', (error) => (isOpen ? onError(error) : reject(error)));
  });
  try {
    const client = (await Promise.race([queue.getBackend().client, failed])) as RedisLike;
    isOpen = true;
    if (typeof (client.zrangebylex as unknown) !== 'function') {
      throw new DurableConfigurationError(
        '"connection" must be options of ioredis, or a client of ioredis.',
      );
    }
    return client;
  } catch (error) {
    isOpen = true;
    await closeAll([queue]);
    throw error;
  }
}

/** The first has the connection of the others, so it is closed last. */
export async function closeAll(opened: readonly BullBaseLike[]): Promise<void> {
  for (const each of [...opened].reverse()) await each.close(true);
}

/** A client is the partner's own: it has its limits, and stays open. */
function isClient(connection: object): boolean {
  return typeof (connection as { duplicate?: unknown }).duplicate === 'function';
}

/** `openRedis`: the server of a `redis:` url, by the partner's own bullmq. */

import { bullmqEngine } from '../../durable/bullmq/bullmq-engine.js';
import type { BullQueueClass, BullWorkerClass } from '../../durable/bullmq/bullmq.js';
import type { DurableEngine } from '../../durable/engine/engine.js';
import { emptyQueue } from './empty-queue.js';
import type { EngineRequest, OpenEngine } from './engine-kind.js';
import { requirePackage } from './partner-package.js';

/** The part of ioredis that finds the queues. */
interface Redis {
  connect(): Promise<unknown>;
  on(event: 'error', listener: () => void): unknown;
  scan(cursor: string, ...options: string[]): Promise<[cursor: string, keys: string[]]>;
  hget(key: string, field: string): Promise<string | null>;
  disconnect(): void;
}

const connectTimeoutMs = 10_000;

export async function openRedis({ url, prefix, cwd }: EngineRequest): Promise<OpenEngine> {
  const { Queue, Worker } = requirePackage(cwd, 'bullmq') as {
    Queue: BullQueueClass;
    Worker: BullWorkerClass;
  };
  const { Redis } = requirePackage(cwd, 'ioredis', 'bullmq') as {
    Redis: new (options: object) => Redis;
  };
  const connection = connectionOf(url);
  // A command must not wait for a server that is away.
  const once = { lazyConnect: true, maxRetriesPerRequest: 1, retryStrategy: () => null };
  const redis = new Redis({ ...connection, ...once, connectTimeout: connectTimeoutMs });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    const shardsOf = await findQueues(redis, prefix);
    const open: DurableEngine['open'] = (spec) => {
      const shards = shardsOf.get(spec.name);
      // BullMQ would create it.
      if (shards === undefined) return Promise.resolve(emptyQueue);
      return bullmqEngine({ Queue, Worker, connection, prefix, shards }).open(spec);
    };
    const { name, traits } = bullmqEngine({ Queue, Worker, connection, prefix });
    return {
      engine: { name, traits, open },
      listQueues: () => Promise.resolve([...shardsOf.keys()].sort()),
      close: () => {
        redis.disconnect();
        return Promise.resolve();
      },
    };
  } catch (error) {
    redis.disconnect();
    throw error;
  }
}

export function redisDdl(): string {
  return '-- Redis has no tables: bullmqEngine creates its keys with the first job.\n';
}

/** Each queue has one key of its own, which holds the number of its shards. */
async function findQueues(redis: Redis, prefix: string): Promise<ReadonlyMap<string, number>> {
  const pattern = `${prefix.replace(/[*?[\]\\]/g, '\\$&')}:market-*:state`;
  const found = new Map<string, number>();
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', '1000');
    for (const key of keys) {
      const shards = Number(await redis.hget(key, 'shards'));
      if (shards > 0) found.set(key.slice(prefix.length + 1, -':state'.length), shards);
    }
    cursor = next;
  } while (cursor !== '0');
  return found;
}

/** As options: bullmq then opens connections with limits of its own. */
function connectionOf(text: string): object {
  const { protocol, hostname, port, username, password, pathname } = new URL(text);
  const database = pathname.slice(1);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port === '' ? 6379 : port),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(database === '' ? {} : { db: Number(database) }),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

import {
  DurableConfigurationError,
  type ClaimedJob,
  type DurableEngine,
  type DurableQueue,
  type Job,
  type JobResult,
  type QueueSpec,
} from 'market-partner-sdk/durable';
import { bullmqEngine, type BullmqEngineOptions } from 'market-partner-sdk/durable/bullmq';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { bullmq, jobsOfDashboard, openClient } from '../support/bullmq-under-test.js';
import { freePort } from '../../support/free-port.mjs';
import { startRedis } from '../support/redis-server.js';
import { skipReason } from '../support/servers.js';

const redis = await startRedis({ settings: ['--maxmemory-policy', 'allkeys-lru'] }).catch(
  () => undefined,
);
afterAll(() => redis?.stop());

const skipped = skipReason({
  'bullmq (npm run test:engines installs it)': bullmq === undefined,
  'program redis-server': redis === undefined,
});

const spec: QueueSpec = {
  ...{ name: 'orders', leaseMs: 1_000, maxRunMs: 3_000, keepDoneMs: 86_400_000 },
  onDeadLetter: 'block',
};

const connection = { host: '127.0.0.1', port: Number(redis?.url.port) };
let prefix = '';
let tests = 0;

beforeEach(() => {
  vi.spyOn(console, 'warn').mockReturnValue();
  prefix = `{test${(tests += 1)}}`;
});

describe.skipIf(skipped !== undefined)(
  `bullmqEngine${skipped === undefined ? '' : `, ${skipped}`}`,
  () => {
    it('warns once of a Redis that evicts keys and of one that keeps nothing', async () => {
      const engine = create();
      await open(engine);
      await open(engine, { name: 'events' });
      expect(vi.mocked(console.warn).mock.calls.map(([line]) => line as unknown)).toEqual([
        expect.stringContaining('maxmemory-policy allkeys-lru'),
        expect.stringContaining('Set "appendonly yes"'),
      ]);
    });

    it('fails to open where no server is, and opens once it is there', async () => {
      const port = await freePort();
      const engine = create({ connection: { host: '127.0.0.1', port } });
      await expect(engine.open(spec)).rejects.toThrow('ECONNREFUSED');
      const late = await startRedis({ port });
      const queue = await open(engine);
      await queue.enqueue([job('a')]);
      await queue.close();
      await late.stop();
    });

    it('takes a client of ioredis, and leaves it open', async () => {
      const client = openClient(connection);
      onTestFinished(() => client.disconnect());
      const queue = await open(create({ connection: client }));
      await queue.enqueue([job('a')]);
      expect(await drain(queue)).toEqual(['a 1']);
      await queue.close();
      expect(await client.ping()).toBe('PONG');
    });

    it('loses no claim, and counts no attempt, where a check of a fetched job fails', async () => {
      const client = openClient(connection);
      onTestFinished(() => client.disconnect());
      const queue = await open(create({ connection: client }));
      const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
      await queue.enqueue(ids.map((id) => job(id, id)));
      const look = client.zrangebylex.bind(client);
      let failures = 0;
      vi.spyOn(client, 'zrangebylex').mockImplementation((...args) => {
        // Reads from "-" are a sweep's: it comes before the fetches.
        if (args[1] === '-' || (failures += 1) > 1) return look(...args);
        return Promise.reject(new Error('read ECONNRESET'));
      });
      expect((await drain(queue)).sort()).toEqual(ids.map((id) => `${id} 1`));
    });

    it('does not ask again and again for a retry that is due behind a slow job', async () => {
      const pauses: number[] = [];
      let end: (() => void) | undefined;
      const slow = new Promise<void>((resolve) => (end = resolve));
      let dueAt = Infinity;
      const sleep = (ms: number) => {
        // The others are the renewal's: a third of the lease, and its rest.
        const isPause = ms <= 500 && ms !== spec.leaseMs / 3;
        if (Date.now() > dueAt && isPause) pauses.push(ms);
        if (pauses.length === 20) end?.();
        return new Promise<void>((resolve) => setImmediate(resolve));
      };
      const queue = await open(create({ shards: 1, sleep }));
      await queue.enqueue([job('retried', 'one key'), job('slow', 'another')]);
      const stop = new AbortController();
      await queue.work(
        async ({ id }) => {
          if (id === 'retried') {
            dueAt = Date.now() + 100;
            return { retryInMs: 50, error: 'later' };
          }
          await slow;
          stop.abort();
          return { done: undefined };
        },
        { concurrency: 4, signal: stop.signal },
      );
      expect(new Set(pauses)).toEqual(new Set([500]));
    });

    it('refuses another number of shards until the queue is empty', async () => {
      const queue = await open(create());
      await queue.enqueue([job('a')]);
      await expect(create({ shards: 8 }).open(spec)).rejects.toThrow('has 4 shards and holds jobs');
      await drain(queue);
      await queue.prune(new Date(Date.now() + 60_000));
      const wider = await open(create({ shards: 8 }));
      await wider.enqueue([job('b')]);
      await expect(create().open(spec)).rejects.toThrow('has 8 shards and holds jobs');
    });

    it('counts no attempt of a job that waited behind a retry', async () => {
      const queue = await open(create());
      await queue.enqueue([job('first'), job('second')]);
      const runs = await drain(queue, ({ attempt }) =>
        attempt === 1 ? { retryInMs: 60_000, error: 'later' } : { done: undefined },
      );
      expect(runs).toEqual(['first 1']);
      const [first] = await jobsOfDashboard(connection, prefix, 'delayed');
      await first?.promote();
      expect(await drain(queue)).toEqual(['first 2', 'second 1']);
    });

    it('parks a job again that was promoted in a dashboard', async () => {
      const queue = await open(create());
      await queue.enqueue([job('first'), job('second')]);
      await drain(queue, () => ({ deadLetter: 'broken' }));
      const [second] = await jobsOfDashboard(connection, prefix, 'delayed');
      await second?.promote();
      expect(await drain(queue)).toEqual([]);
      await queue.retry('first');
      expect(await drain(queue)).toEqual(['first 1', 'second 1']);
    });

    it('frees an ordering key whose dead letter was removed in a dashboard', async () => {
      const queue = await open(create());
      await queue.enqueue([job('first'), job('second')]);
      await drain(queue, () => ({ deadLetter: 'broken' }));
      const [first] = await jobsOfDashboard(connection, prefix, 'failed');
      await first?.remove();
      // Each process looks when it starts to work, then once a minute.
      expect(await drain(await open(create()))).toEqual(['second 1']);
    });

    it('with "skip", a retried dead letter runs before what waits for a retry', async () => {
      const queue = await open(create(), { onDeadLetter: 'skip' });
      await queue.enqueue([job('first'), job('second')]);
      await drain(queue, ({ id }) =>
        id === 'first' ? { deadLetter: 'broken' } : { retryInMs: 60_000, error: 'later' },
      );
      const [second] = await jobsOfDashboard(connection, prefix, 'delayed');
      await second?.promote();
      await queue.retry('first');
      expect(await drain(queue)).toEqual(['first 1', 'second 2']);
    });
  },
);

function create(options: Partial<BullmqEngineOptions> = {}): DurableEngine {
  const { Queue, Worker } = bullmq ?? {};
  return bullmqEngine({ Queue, Worker, connection, prefix, ...options } as BullmqEngineOptions);
}

async function open(engine: DurableEngine, other: Partial<QueueSpec> = {}): Promise<DurableQueue> {
  const queue = await engine.open({ ...spec, ...other });
  onTestFinished(() => queue.close());
  return queue;
}

function job(id: string, orderingKey = 'brew.example'): Job {
  return { id, orderingKey, body: '{}', createdAt: '2026-03-01T12:00:00Z' };
}

/** Runs what is due: the ids and attempts, in their order. */
async function drain(
  queue: DurableQueue,
  resultOf: (job: ClaimedJob<never>) => JobResult = () => ({ done: undefined }),
): Promise<string[]> {
  const runs: string[] = [];
  const { signal } = new AbortController();
  await queue.work(
    (claimed) => {
      runs.push(`${claimed.id} ${claimed.attempt}`);
      return Promise.resolve(resultOf(claimed));
    },
    { concurrency: 4, signal, untilIdle: true },
  );
  return runs;
}

it.each<[string, object]>([
  ['"Queue"', { Queue: undefined }],
  ['"Worker"', { Worker: {} }],
  ['"connection"', { connection: 'redis://127.0.0.1' }],
  ['"prefix"', { prefix: 'market' }],
  ['"prefix"', { prefix: '{market}:a' }],
  ['"shards"', { shards: 0 }],
  ['"shards"', { shards: 1.5 }],
  ['"shard" is not an option', { shard: 8 }],
  ['"connection" must be', { connection: null }],
  ['"prefix" must', { prefix: ['{market}'] }],
  ['"clock" must be a function', { clock: 1 }],
])('bullmqEngine refuses an unusable %s', (name, options) => {
  const valid = { Queue: Object, Worker: Object, connection: {} };
  const create = () => bullmqEngine({ ...valid, ...options } as never);
  expect(create).toThrow(DurableConfigurationError);
  expect(create).toThrow(name);
});

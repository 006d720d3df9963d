import { randomBytes } from 'node:crypto';
import { bullmqEngine } from 'market-partner-sdk/durable/bullmq';
import { describe, expect, it, onTestFinished } from 'vitest';
import { operatorChecks } from '../../command-line/operator-checks.js';
import { durable } from '../../command-line/stranded-work.js';
import { bullmq } from '../support/bullmq-under-test.js';
import { dropPrefix } from '../support/redis-keys.mjs';
import { findPackage, isReachable, redisUrl, skipReason } from '../support/servers.js';

interface Redis {
  keys(pattern: string): Promise<string[]>;
  type(key: string): Promise<string>;
  get(key: string): Promise<unknown>;
  hgetall(key: string): Promise<unknown>;
  lrange(key: string, start: number, end: number): Promise<unknown>;
  zrange(key: string, start: number, end: number, withScores: 'WITHSCORES'): Promise<unknown>;
  quit(): Promise<unknown>;
}

const ioredis = findPackage('ioredis') as { Redis: new (url: string) => Redis } | undefined;

const skipped = skipReason({
  'bullmq (npm run test:engines installs it)': bullmq === undefined || ioredis === undefined,
  'Redis at REDIS_URL': !(await isReachable(redisUrl)),
});

/** A prefix of its own, whose keys are removed with the test. */
function newPrefix() {
  const prefix = `{mp_${randomBytes(6).toString('hex')}}`;
  const redis = new ioredis!.Redis(redisUrl.href);
  onTestFinished(async () => {
    await redis.quit();
    await dropPrefix(redisUrl.href, prefix);
  });
  const read = async (key: string) => {
    const type = await redis.type(key);
    if (type === 'hash') return redis.hgetall(key);
    if (type === 'list') return redis.lrange(key, 0, -1);
    return type === 'zset' ? redis.zrange(key, 0, -1, 'WITHSCORES') : redis.get(key);
  };
  const dump = async () => {
    // Not what only wakes others: BullMQ writes to its streams whenever it is asked to prune.
    const keys = (await redis.keys(`${prefix}*`)).filter(
      (key) => !/:(events|wakes|stalled-check)$/.test(key),
    );
    return Promise.all(keys.sort().map(async (key) => [key, await read(key)]));
  };
  return { prefix, dump };
}

const url = redisUrl.href;

describe.skipIf(skipped !== undefined)(
  `the command durable on Redis${skipped === undefined ? '' : `, ${skipped}`}`,
  () => {
    operatorChecks('with an inbox and an outbox', async () => {
      const { prefix, dump } = newPrefix();
      const { Queue, Worker } = bullmq!;
      const { hostname: host, port } = redisUrl;
      const connection = { host, port: Number(port || 6379) };
      return {
        // Another number than the default: the command reads it from the server.
        engine: bullmqEngine({ Queue, Worker, connection, prefix, shards: 2 }),
        args: [url, '--prefix', prefix],
        dump,
      };
    });

    it('creates nothing where there is nothing', async () => {
      const { prefix, dump } = newPrefix();
      const { code, err } = await durable(url, 'status', '--prefix', prefix);
      expect([code, err]).toEqual([1, 'There is no queue of an inbox or an outbox.\n']);
      expect(await dump()).toEqual([]);
    });

    it('tells why it cannot connect, without the password', async () => {
      const { code, err } = await durable('redis://:pass%20word@127.0.0.1:1', 'status');
      expect([code, err]).toEqual([1, expect.stringMatching(/ECONNREFUSED|closed/)]);
      expect(err).not.toMatch(/pass/);
    });

    it('has no DDL', async () => {
      expect(await durable('redis:', 'ddl')).toMatchObject({
        ...{ code: 0, out: expect.stringContaining('no tables') as string },
      });
    });
  },
);

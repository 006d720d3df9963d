import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import pg from 'pg';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { postgresStore, redisStore, type DeduplicationStore } from 'market-partner-sdk/webhooks';
import { eventJson, signedHeaders } from './deliveries.js';
import { addresses, isReachable } from './stores/servers.js';

const program = fileURLToPath(new URL('./stores/receiver.mjs', import.meta.url));
const namespace = `market_test_${randomBytes(6).toString('hex')}`;

/** A store of this process beside those of the receivers, and the end of its connection. */
interface OpenStore {
  readonly store: Required<DeduplicationStore>;
  close(): Promise<void>;
}

const clients = {
  'node-redis': {
    server: 'redis',
    open: async (): Promise<OpenStore> => {
      const client = await createClient({ url: addresses.redis }).connect();
      const close = async () => {
        for (const key of await client.keys(`${namespace}*`)) await client.del(key);
        await client.close();
      };
      return { store: redisStore(client, { prefix: namespace }), close };
    },
  },
  ioredis: {
    server: 'redis',
    open: async (): Promise<OpenStore> => {
      const client = new Redis(addresses.redis);
      const close = async () => {
        for (const key of await client.keys(`${namespace}*`)) await client.del(key);
        await client.quit();
      };
      return { store: redisStore(client, { prefix: namespace }), close };
    },
  },
  pg: {
    server: 'postgres',
    open: async (): Promise<OpenStore> => {
      const pool = new pg.Pool({ connectionString: addresses.postgres });
      const close = async () => {
        await pool.query(`drop table if exists ${namespace}`);
        await pool.end();
      };
      return { store: postgresStore(pool, { table: namespace }), close };
    },
  },
} as const;

const reachable = {
  redis: await isReachable('redis'),
  postgres: await isReachable('postgres'),
};

let lastId = 0;
const newId = (name: string) => `evt_${name}_${(lastId += 1)}`;

/** A receiver in a process of its own, ended with the test. */
async function startReceiver(name: keyof typeof clients, timeoutMs = 4_500) {
  const address = addresses[clients[name].server];
  const child = fork(program, [name, address, namespace, String(timeoutMs)], { execArgv: [] });
  child.setMaxListeners(0);
  onTestFinished(() => void child.kill('SIGKILL'));
  await message(child, ({ ready }) => ready === true);
  let number = 0;
  const deliver = async (id: string): Promise<number> => {
    const own = (number += 1);
    const body = eventJson({ id });
    const answered = message(child, ({ delivery }) => delivery === own);
    child.send({ deliver: { headers: signedHeaders(body), body, number: own } });
    return (await answered).status!;
  };
  return {
    child,
    deliver,
    started: (id: string) => message(child, (said) => said.started === id),
    end: (how: { finish?: string; fail?: string }) => child.send(how),
  };
}

interface Message {
  readonly ready?: boolean;
  readonly started?: string;
  readonly delivery?: number;
  readonly status?: number;
}

function message(child: ChildProcess, isWanted: (said: Message) => boolean): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('the receiver ended'));
    const onMessage = (said: Message) => {
      if (!isWanted(said)) return;
      child.off('message', onMessage);
      child.off('exit', onExit);
      resolve(said);
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
  });
}

describe.each(Object.entries(clients))('the store of %s', (name, { server, open }) => {
  const client = name as keyof typeof clients;

  describe.skipIf(!reachable[server])(`with ${server}`, () => {
    let opened: OpenStore;
    beforeAll(async () => void (opened = await open()));
    afterAll(() => opened.close());

    it('claims an event once, until it is done', async () => {
      const { store } = opened;
      const id = newId(name);
      expect(await store.has(id)).toBe(false);
      const claims = Array.from({ length: 10 }, async () => store.claim(id, 60_000));
      const results = await Promise.all(claims);
      expect(results.filter((result) => result === 'claimed')).toHaveLength(1);
      expect(results.filter((result) => result === 'busy')).toHaveLength(9);
      expect(await store.has(id)).toBe(false);
      await store.add(id);
      expect(await store.has(id)).toBe(true);
      expect(await store.claim(id, 60_000)).toBe('done');
      await store.release(id);
      expect(await store.claim(id, 60_000)).toBe('done');
    });

    it('frees a claim that is released or has expired, and no claim of another store', async () => {
      const { store } = opened;
      const id = newId(name);
      expect(await store.claim(id, 60_000)).toBe('claimed');
      const other = await open();
      await other.store.release(id);
      expect(await other.store.claim(id, 60_000)).toBe('busy');
      await store.release(id);
      expect(await other.store.claim(id, 1)).toBe('claimed');
      await expect.poll(() => store.claim(id, 60_000)).toBe('claimed');
      await other.store.release(id);
      expect(await store.claim(id, 60_000)).toBe('busy');
    });

    it('takes ids of every kind', async () => {
      const { store } = opened;
      for (const id of ["it's; drop table x --", 'ü☕', 'a'.repeat(300), '{brace}:colon', '1']) {
        const own = `${newId(name)}${id}`;
        expect(await store.claim(own, 60_000)).toBe('claimed');
        await store.add(own);
        expect(await store.has(own)).toBe(true);
      }
    });

    it('lets one of two processes run a listener, and answers the other 503, later 200', async () => {
      const [first, second] = await Promise.all([startReceiver(client), startReceiver(client)]);
      for (let round = 0; round < 10; round += 1) {
        const id = newId(name);
        const starts = [first, second].map((receiver) => receiver.started(id).then(() => receiver));
        const answers = [first.deliver(id), second.deliver(id)];
        const runner = await Promise.race(starts);
        const waiting = runner === first ? 1 : 0;
        expect(await answers[waiting]).toBe(503);
        runner.end({ finish: id });
        expect(await answers[1 - waiting]).toBe(200);
        expect([await first.deliver(id), await second.deliver(id)]).toEqual([200, 200]);
      }
    });

    it('lets the other process run a listener that failed, at once', async () => {
      const [first, second] = await Promise.all([startReceiver(client), startReceiver(client)]);
      const id = newId(name);
      const started = first.started(id);
      const failed = first.deliver(id);
      await started;
      first.end({ fail: id });
      expect(await failed).toBe(500);
      const again = second.started(id);
      const delivered = second.deliver(id);
      await again;
      second.end({ finish: id });
      expect(await delivered).toBe(200);
    });

    it('lets the other process run the event of one that was killed, after timeoutMs', async () => {
      const [first, second] = await Promise.all([
        startReceiver(client, 500),
        startReceiver(client, 500),
      ]);
      const id = newId(name);
      const started = first.started(id);
      first.deliver(id).catch(() => undefined);
      await started;
      first.child.kill('SIGKILL');
      void second.started(id).then(() => second.end({ finish: id }));
      await expect.poll(() => second.deliver(id), { timeout: 5_000 }).toBe(200);
    });
  });
});

describe.skipIf(!reachable.postgres)('postgresStore', () => {
  it('creates its table though several processes do so at once, and prunes it', async () => {
    const table = `${namespace}_pruned`;
    const pool = new pg.Pool({ connectionString: addresses.postgres });
    onTestFinished(async () => {
      await pool.query(`drop table if exists ${table}`);
      await pool.end();
    });
    const stores = Array.from({ length: 5 }, () => postgresStore(pool, { table, keepMs: 1 }));
    const claims = await Promise.all(
      stores.map(async (store, at) => store.claim(`evt_${at}`, 60_000)),
    );
    expect(claims).toEqual(Array(5).fill('claimed'));
    await pool.query(
      `insert into ${table} (id, done_at) values ('old', now() - interval '1 hour')`,
    );
    await stores[0]!.add('new');
    expect((await pool.query(`select id from ${table} where id = 'old'`)).rows).toEqual([]);
  });

  it('tries again to create its table after the database was down', async () => {
    const table = `${namespace}_later`;
    const pool = new pg.Pool({ connectionString: addresses.postgres });
    onTestFinished(async () => {
      await pool.query(`drop table if exists ${table}`);
      await pool.end();
    });
    let isDown = true;
    const store = postgresStore(
      {
        query: (text, values) =>
          isDown ? Promise.reject(new Error('is down')) : pool.query(text, values),
      },
      { table },
    );
    await expect(store.claim('evt_1', 1_000)).rejects.toThrow('is down');
    isDown = false;
    expect(await store.claim('evt_1', 1_000)).toBe('claimed');
  });
});

describe('the options of the stores', () => {
  const client = { eval: () => Promise.resolve(1) };
  const pool = { query: () => Promise.resolve({ rows: [] }) };

  it.each<[string, () => unknown, RegExp]>([
    ['redisStore without a client', () => redisStore(undefined as never), /has no eval\(\)/],
    ['a prefix that is no text', () => redisStore(client, { prefix: 5 as never }), /"prefix"/],
    ['keepMs of 0', () => redisStore(client, { keepMs: 0 }), /"keepMs" must be a positive/],
    ['postgresStore without a pool', () => postgresStore({} as never), /has no query\(\)/],
    ['a table with a quote', () => postgresStore(pool, { table: 'a"; drop' }), /"table" must be/],
    ['keepMs of NaN', () => postgresStore(pool, { keepMs: Number.NaN }), /"keepMs" must be/],
  ])('refuse %s', (_what, create, message) => {
    expect(create).toThrow(message);
  });
});

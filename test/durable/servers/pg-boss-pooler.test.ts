import { randomBytes } from 'node:crypto';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually, jobs } from '../engine-kit/engine-harness.js';
import { pg, pgBoss, type PgClient } from '../support/pg-boss-under-test.js';
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.js';
import { isReachable, postgresUrl, skipReason } from '../support/servers.js';
import type { DurableQueue } from '../../../src/durable/queue/engine.js';
import { queueEngine } from '../support/open-engines.js';
import type { ClaimedJob, JobResult } from '../../../src/durable/queue/job.js';

const skipped = skipReason({
  'pg-boss (npm run test:engines installs it)': pg === undefined || pgBoss === undefined,
  'PostgreSQL at DATABASE_URL': !(await isReachable(postgresUrl)),
  pgbouncer: !hasPgBouncer,
});

describe.skipIf(skipped !== undefined)(
  `behind PgBouncer in transaction mode${skipped === undefined ? '' : `, ${skipped}`}`,
  () => {
    it('two processes share jobs that are stored and ended in transactions, each once', async () => {
      const open = await startPooler();
      const [storing, first, second] = [await open(), await open(), await open()];
      const mark = (client: PgClient, column: string, id: string) =>
        client.query(`insert into ${storing.schema}.mark values ($1, $2)`, [column, id]);
      for (const { queue } of [first, second]) {
        work(queue, async ({ id, commit }) => {
          await commit((client) => mark(client, 'ended', id));
          return { done: undefined };
        });
      }
      for (const job of jobs(50, 'sale-', (index) => `key-${index}`)) {
        const write = (client: PgClient) => mark(client, 'stored', job.id);
        await storing.queue.enqueue([job], { write });
      }
      const isDone = async () => {
        const { waiting, running } = await storing.queue.counts();
        return waiting + running === 0;
      };
      await eventually('all are done', isDone, 15_000);
      const { rows } = await storing.pool.query(
        `select what, count(*)::int as all, count(distinct id)::int as different
         from ${storing.schema}.mark group by what order by what`,
      );
      expect(rows).toEqual([
        { what: 'ended', all: 50, different: 50 },
        { what: 'stored', all: 50, different: 50 },
      ]);
    }, 30_000);

    it('LISTEN is given up, for nothing comes but what others send by chance: polls go on as often', async () => {
      const open = await startPooler();
      const [storing, working] = [await open(), await open()];
      const database = working.boss.getDb();
      let isClosed = false;
      // As PgBouncer does it in a rare moment.
      database.listen = (_channel, onNotification, onReconnect) => {
        onReconnect();
        onNotification('sales');
        const close = () => {
          isClosed = true;
          return Promise.resolve();
        };
        return Promise.resolve({ close });
      };
      let done = 0;
      work(working.queue, () => {
        done += 1;
        return Promise.resolve({ done: undefined });
      });
      const waits: number[] = [];
      for (const [index, each] of jobs(4, 'sale-', (number) => `key-${number}`).entries()) {
        await storing.queue.enqueue([each]);
        const since = Date.now();
        await eventually('it is seen', () => done > index);
        waits.push(Date.now() - since);
      }
      expect(waits.filter((ms) => ms > 1_500)).toEqual([]);
      await eventually('it gave up', () => isClosed);
    }, 30_000);
  },
);

const limits = { leaseMs: 30_000, keepDoneMs: 86_400_000 };

/** Opens the queue as one process does, through a pooler that has fewer connections than its clients. */
async function startPooler() {
  const pooler = await startPgBouncer(3);
  const schema = `mp_${randomBytes(6).toString('hex')}`;
  const connectionString = pooler.url.href;
  const direct = new pg!.Pool({ connectionString: postgresUrl.href, max: 1 });
  onTestFinished(async () => {
    await pooler.end();
    await direct.query(`drop schema ${schema} cascade`);
    await direct.end();
  });
  await direct.query(`create schema ${schema}; create table ${schema}.mark (what text, id text)`);
  return async () => {
    const boss = new pgBoss!.PgBoss({
      connectionString,
      schema,
      supervise: false,
      schedule: false,
    });
    boss.on('error', () => undefined);
    await boss.start();
    const pool = new pg!.Pool({ connectionString, max: 4 });
    pool.on('error', () => undefined);
    const queue = await queueEngine(pgBossEngine(boss, { pool, schema })).open({
      name: 'sales',
      ...limits,
    });
    onTestFinished(async () => {
      await queue.close();
      await boss.stop({ graceful: false });
      await pool.end();
    });
    return { boss, pool, queue, schema };
  };
}

function work(
  queue: DurableQueue<PgClient>,
  run: (job: ClaimedJob<PgClient>) => Promise<JobResult>,
): void {
  const stop = new AbortController();
  const working = queue.work(run, { concurrency: 8, signal: stop.signal });
  onTestFinished(async () => {
    stop.abort();
    await working;
  });
}

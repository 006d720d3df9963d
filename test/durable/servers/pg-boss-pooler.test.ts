import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import { expect, it, onTestFinished } from 'vitest';
import { eventually, jobs } from '../engine-kit/engine-harness.js';
import {
  describeOnPgBoss,
  newSchema,
  openBoss,
  openPool,
  queueLimits,
} from '../support/on-pg-boss.js';
import type { PgClient } from '../support/pg-boss-under-test.js';
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.js';
import type { DurableQueue } from '../../../src/durable/queue/engine.js';
import { queueEngine } from '../support/open-engines.js';
import type { ClaimedJob, JobResult } from '../../../src/durable/queue/job.js';

describeOnPgBoss(
  'behind PgBouncer in transaction mode',
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
  { pgbouncer: !hasPgBouncer },
);

/** Opens the queue as one process does, through a pooler that has fewer connections than its clients. */
async function startPooler() {
  const schema = newSchema();
  const pooler = await startPgBouncer(3);
  onTestFinished(() => pooler.end());
  const connectionString = pooler.url.href;
  const direct = openPool({ max: 1 });
  await direct.query(`create schema ${schema}; create table ${schema}.mark (what text, id text)`);
  return async () => {
    const boss = await openBoss(schema, { connectionString });
    const pool = openPool({ connectionString, max: 4 });
    const engine = queueEngine(pgBossEngine(boss, { pool, schema }));
    const queue = await engine.open({ name: 'sales', ...queueLimits });
    onTestFinished(() => queue.close());
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

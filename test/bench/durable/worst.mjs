// Question: what does PostgreSQL do at its worst? Each case beside the best of the same run, and beside plain
// statements of the same minute: a loaded machine slows all of them.

import { createRequire } from 'node:module';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import { table, whole } from '../table.mjs';

const require = createRequire(new URL('../../durable/servers/package.json', import.meta.url));
const server = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';

const limits = { leaseMs: 30_000, keepDoneMs: 30 * 86_400_000 };
const backlog = 5_000;
const orderCount = 500;
const pageSize = 100;
const doneCount = 1_000_000;
const singleSale = 10_000;
const firstMs = 5_000;
const body = JSON.stringify({ type: 'order.recorded', data: { padding: 'x'.repeat(400) } });

export async function worst() {
  const rows = [];
  const fresh = await onNewDatabase(async (database) => {
    const { boss, queue, pool } = database;
    const plain = await plainRate(pool);
    await store(queue, 'first');
    const first = await handle(queue);
    await store(queue, 'second');
    const second = await handle(queue);
    const startedAt = performance.now();
    await queue.enqueue(jobsOf('sale', singleSale, () => 'one-sale'));
    const pageMs = performance.now() - startedAt;
    await boss.deleteAllJobs('worst');
    return { plain, first, second, pageMs };
  });
  const old = await onNewDatabase(async ({ queue, pool, url }) => {
    await queue.enqueue(jobsOf('seed', 1, () => 'seed'));
    await handle(queue);
    await addDone(pool);
    await pool.query('vacuum analyze pgboss.job');
    const plain = await plainRate(pool);
    const holder = new (require('pg').Client)({ connectionString: url });
    await holder.connect();
    await holder.query('begin isolation level repeatable read; select pg_current_xact_id()');
    await store(queue, 'behind');
    const handled = await handle(queue);
    await holder.query('rollback');
    await holder.end();
    return { plain, handled };
  });
  const best = fresh.second.perSecond;
  const row = (name, { perSecond }, plain) =>
    rows.push([name, whole(perSecond), `${Math.round((perSecond / best) * 100)} %`, whole(plain)]);
  row('best: the second 5,000 of a database', fresh.second, fresh.plain);
  row(
    'a new database, its first 5 seconds',
    { perSecond: fresh.first.firstPerSecond },
    fresh.plain,
  );
  row('a new database, all of its first 5,000', fresh.first, fresh.plain);
  row('a million done, and a transaction that stays open', old.handled, old.plain);
  table(
    `PostgreSQL: ${whole(backlog)} events of ${orderCount} orders that wait, 8 at once`,
    ['case', 'events/s', 'of the best', 'plain inserts and deletes/s in the same minute'],
    rows,
  );
  console.log(
    `\nA page of ${whole(singleSale)} events of one sale is stored in ${whole(fresh.pageMs)} ms.`,
  );
}

/** A database of its own, which PostgreSQL has no statistics of; dropped at the end. */
async function onNewDatabase(measure) {
  const { Client, Pool } = require('pg');
  const { PgBoss } = require('pg-boss');
  const name = `bench_${process.pid}_${Date.now()}`;
  const admin = new Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const url = new URL(server);
  url.pathname = name;
  const pool = new Pool({ connectionString: url.href });
  // Dropping the database ends what is still closing.
  pool.on('error', () => undefined);
  const boss = new PgBoss({ connectionString: url.href, schedule: false });
  boss.on('error', (error) => console.error('pg-boss:', error.message));
  try {
    await boss.start();
    const queue = await pgBossEngine(boss, { pool }).open({ name: 'worst', ...limits });
    const figures = await measure({ boss, queue, pool, url: url.href });
    await queue.close();
    return figures;
  } finally {
    await boss.stop({ graceful: false });
    await pool.end();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  }
}

async function store(queue, prefix) {
  const jobs = jobsOf(prefix, backlog, (index) => `order-${index % orderCount}`);
  for (let at = 0; at < jobs.length; at += pageSize) {
    await queue.enqueue(jobs.slice(at, at + pageSize));
  }
}

async function handle(queue) {
  const times = [];
  const startedAt = performance.now();
  const run = async () => {
    times.push(performance.now() - startedAt);
    return { done: undefined };
  };
  const { signal } = new AbortController();
  await queue.work(run, { concurrency: 8, signal, untilIdle: true });
  const took = performance.now() - startedAt;
  const first = times.filter((time) => time <= firstMs).length;
  return {
    perSecond: (times.length / took) * 1_000,
    firstPerSecond: (first / Math.min(took, firstMs)) * 1_000,
  };
}

/** Copies of the one job that is done. */
async function addDone(pool) {
  const { rows } = await pool.query(
    `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
     where attrelid = 'pgboss.job'::regclass and attnum > 0 and not attisdropped
       and attname not in ('id', 'singleton_key')`,
  );
  const [{ columns }] = rows;
  await pool.query(
    `insert into pgboss.job (id, singleton_key, ${columns})
     select gen_random_uuid(), 'order-' || n % ${orderCount}, ${columns}
     from pgboss.job, generate_series(1, ${doneCount}) n where state = 'completed'`,
  );
}

/** An insert and a delete for each of 1,000 rows, 8 at once: what this server does now. */
async function plainRate(pool) {
  const count = 1_000;
  await pool.query('create table if not exists plain (id int primary key, body text)');
  const startedAt = performance.now();
  let next = 0;
  const work = async () => {
    while (next < count) {
      const id = next++;
      await pool.query('insert into plain values ($1, $2)', [id, body]);
      await pool.query('delete from plain where id = $1', [id]);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return (count / (performance.now() - startedAt)) * 1_000;
}

function jobsOf(prefix, count, keyOf) {
  const createdAt = new Date().toISOString();
  return Array.from({ length: count }, (_, index) => ({
    id: `${prefix}-${index}`,
    orderingKey: keyOf(index),
    body,
    createdAt,
  }));
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MarketClient } from 'market-partner-sdk';
import { createOrderOutbox } from 'market-partner-sdk/durable';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import { expect, it, onTestFinished } from 'vitest';
import { operatorChecks } from '../../command-line/operator-checks.js';
import { durable, strandedWork } from '../../command-line/stranded-work.js';
import { noCallbacks } from '../support/no-callbacks.js';
import { describeOnPgBoss, newSchema, openBoss, openPool } from '../support/on-pg-boss.js';
import { postgresUrl } from '../support/servers.js';
import { findBetterSqlite } from '../support/find-sqlite.js';
import { queueEngine, sqliteEngine } from '../support/open-engines.js';

const connectionString = postgresUrl.href;

/** A pool, and a schema of pg-boss of its own, dropped with the test. */
async function openStore() {
  const schema = newSchema();
  return { schema, pool: openPool({ max: 4 }), boss: await openBoss(schema, { max: 2 }) };
}

describeOnPgBoss('the command durable on PostgreSQL', () => {
  operatorChecks('with an inbox and an outbox', async () => {
    const { schema, pool, boss } = await openStore();
    const read = async (table: string) =>
      (await pool.query(`select * from ${schema}.${table} order by 1, 2`)).rows;
    return {
      engine: queueEngine(pgBossEngine(boss, { pool, schema, pollMs: 50 })),
      args: [connectionString, '--schema', schema],
      dump: async () => [await read('job'), await read('queue'), await read('market_checkpoint')],
      makeDueEarlier: (queue) =>
        pool.query(
          `update ${schema}.job set start_after = now() - interval '2 minutes' where name = $1`,
          [queue],
        ),
    };
  });

  it('ddl gives all that an engine needs that may create nothing', async () => {
    const { schema, pool } = await openStore();
    const { out } = await durable(connectionString, 'ddl', '--schema', schema);
    await pool.query(out);
    await pool.query(out);
    const boss = await openBoss(schema, { migrate: false, createSchema: false });
    const engine = queueEngine(pgBossEngine(boss, { pool, schema, migrate: false, pollMs: 50 }));
    const { inbox, outbox } = await strandedWork(engine);
    expect(await inbox.status()).toMatchObject({ dead: 1 });
    expect(await outbox.status()).toMatchObject({ attention: 2, waiting: 1 });
    const { rows } = await pool.query(`select distinct policy from ${schema}.queue`);
    expect(rows).toEqual([{ policy: 'key_strict_fifo' }]);
  });

  it('a queue that ddl did not make fails the drain, instead of being empty for ever', async () => {
    const { schema, pool } = await openStore();
    const { out } = await durable(connectionString, 'ddl', '--schema', schema);
    await pool.query(out);
    const boss = await openBoss(schema, { migrate: false, createSchema: false });
    const engine = queueEngine(pgBossEngine(boss, { pool, schema, migrate: false, pollMs: 50 }));
    const outbox = createOrderOutbox({
      ...noCallbacks,
      market: new MarketClient({
        baseUrl: 'http://127.0.0.1:1',
        keyId: 'mk_live_1',
        secret: 'msk',
      }),
      engine,
      name: 'other',
    });
    const missing =
      /missing in the schema .* select mp_\w+\.create_queue\('market-other-live-(orders|verdicts)'/;
    await expect(outbox.drain({ maxMs: 1_000 })).rejects.toThrow(missing);
    await expect(
      outbox.add({ key: 'p', order: { domain: 'brew.example', expected_price: 1 } }),
    ).rejects.toThrow(missing);
  });

  it('a program whose role may only read and write rows works on what ddl made', async () => {
    const { schema, pool } = await openStore();
    const { out } = await durable(connectionString, 'ddl', '--schema', schema);
    await pool.query(out);
    // The statements of docs/postgresql.md.
    await pool.query(`create role ${schema};
        grant usage on schema ${schema} to ${schema};
        grant select, insert, update, delete on all tables in schema ${schema} to ${schema};`);
    onTestFinished(async () => {
      await pool.query(`drop owned by ${schema}; drop role ${schema}`);
    });
    const limited = new URL(postgresUrl);
    limited.searchParams.set('options', `-c role=${schema}`);
    const asRole = { connectionString: limited.href };
    const ownPool = openPool({ ...asRole, max: 2 });
    await expect(ownPool.query(`create table ${schema}.mine (id text)`)).rejects.toThrow(
      'permission denied',
    );
    const boss = await openBoss(schema, { ...asRole, migrate: false, createSchema: false });
    const engine = queueEngine(
      pgBossEngine(boss, { pool: ownPool, schema, migrate: false, pollMs: 50 }),
    );
    const { inbox, program } = await strandedWork(engine);
    const retried = await durable(limited.href, 'retry', 'evt_00000001', '--schema', schema);
    expect(retried).toMatchObject({ code: 0, err: '' });
    program.isBroken = false;
    expect(await inbox.drain({ maxMs: 5_000 })).toMatchObject({ handled: 1, dead: 0 });
  });

  it('move stores what a file of SQLite holds, and again changes nothing', async () => {
    const openFile = findBetterSqlite();
    if (openFile === undefined) return;
    const folder = mkdtempSync(join(tmpdir(), 'market-move-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = `sqlite:${join(folder, 'market.db')}`;
    await strandedWork(sqliteEngine(openFile(join(folder, 'market.db'))));
    const { schema } = await openStore();
    const target = ['--to', connectionString, '--schema', schema];
    const moved = await durable(file, 'move', ...target);
    expect(moved).toMatchObject({ code: 0, err: '' });
    expect(await durable(file, 'move', ...target)).toEqual(moved);
    const statusOf = async (...[engine, ...args]: Parameters<typeof durable>) => {
      const { out } = await durable(engine, 'status', '--json', ...args);
      const { queues } = JSON.parse(out) as { queues: Record<string, unknown>[] };
      return queues.map(({ queue, waiting, dead, attention, unreported }) => ({
        ...{ queue, waiting, dead, attention, unreported },
      }));
    };
    const status = await statusOf(connectionString, '--schema', schema);
    expect(status).toEqual(await statusOf(file));
    expect(status).toMatchObject([{ dead: 1 }, { attention: 2, waiting: 1 }]);
  });

  it('creates nothing where there is nothing', async () => {
    const schema = newSchema();
    const { code, err } = await durable(connectionString, 'status', '--schema', schema);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`no tables of pg-boss in the schema ${schema}`),
    ]);
    const { pool } = await openStore();
    const { rows } = await pool.query(`select to_regnamespace('${schema}') as found`);
    expect(rows).toEqual([{ found: null }]);
  });

  it('tells why none of the addresses of a host takes a connection', async () => {
    // A password that no percent-encoding has, and two addresses: an error without a message of its own.
    const url = 'postgres://operator:p%zz@localhost:1/none';
    const { code, err } = await durable(url, 'status');
    expect([code, err]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
    expect(err).not.toContain('p%zz');
  });

  it('tells why it cannot connect, without the password', async () => {
    const url = 'postgres://operator:pass%20word@127.0.0.1:1/none';
    const { code, err } = await durable(url, 'status');
    expect([code, err]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
    expect(err).not.toMatch(/pass/);
  });
});

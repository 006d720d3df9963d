import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type SqliteDatabase } from 'market-partner-sdk/durable';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findBetterSqlite } from '../durable/support/find-sqlite.js';
import { operatorChecks } from './operator-checks.js';
import { durable } from './stranded-work.js';
import { sqliteEngine } from '../durable/support/open-engines.js';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'market-shell-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

const openBetter = findBetterSqlite();
const { getBuiltinModule } = process as { getBuiltinModule?: (name: string) => unknown };
const builtin = getBuiltinModule?.('node:sqlite') as
  { DatabaseSync: new (path: string) => SqliteDatabase } | undefined;
// The command takes node:sqlite where Node has it: so does the test.
const open = builtin === undefined ? openBetter : (path: string) => new builtin.DatabaseSync(path);

describe.skipIf(open === undefined)('the command durable on SQLite', () => {
  operatorChecks('with an inbox and an outbox', async () => {
    const path = join(folder(), 'market.db');
    const database = open!(path);
    onTestFinished(() => void database.close());
    return {
      engine: sqliteEngine(database),
      args: [`sqlite:${path}`],
      dump: async () =>
        ['market_job', 'market_checkpoint'].map((table) =>
          database.prepare(`select * from ${table} order by 1`).all(),
        ),
      makeDueEarlier: (queue) =>
        database
          .prepare('update market_job set due_at = due_at - 120000 where queue = ?')
          .run(queue),
    };
  });

  it('creates no file', async () => {
    const path = join(folder(), 'other.db');
    const { code, err } = await durable(`sqlite:${path}`, 'status');
    expect([code, err]).toEqual([1, `There is no file ${path}.\n`]);
    expect(existsSync(path)).toBe(false);
  });

  it("leaves somebody else's file as it is", async () => {
    const path = join(folder(), 'other.db');
    const database = open!(path);
    onTestFinished(() => void database.close());
    database.exec('create table theirs (id text)');
    for (const action of [['status'], ['dead-letters'], ['retry', 'evt_1']]) {
      const { code, err } = await durable(`sqlite:${path}`, ...action);
      expect([code, err]).toEqual([1, expect.stringContaining('holds no inbox and no outbox')]);
    }
    expect(database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'delete' });
    expect(database.prepare('select name from sqlite_master').all()).toEqual([{ name: 'theirs' }]);
  });

  it('reads a backup by VACUUM INTO, and leaves it as it is', async () => {
    const path = join(folder(), 'market.db');
    const database = open!(path);
    onTestFinished(() => void database.close());
    const engine = sqliteEngine(database);
    const name = 'market-default-live-events';
    const queue = await engine.open({ name, leaseMs: 1_000, keepDoneMs: 1 });
    const createdAt = new Date().toISOString();
    await queue.enqueue([{ id: 'evt_1', orderingKey: 'ord_1', body: '{}', createdAt }]);
    database.exec(`vacuum into '${path}.copy'`);
    const before = readFileSync(`${path}.copy`);
    for (const action of ['status', 'dead-letters']) {
      expect(await durable(`sqlite:${path}.copy`, action)).toMatchObject({ code: 0, err: '' });
    }
    expect(readFileSync(`${path}.copy`).equals(before)).toBe(true);
  });

  it('refuses a url that is not of a file, and names a file that is none', async () => {
    for (const url of ['sqlite://market.db', 'sqlite:market.db?mode=ro']) {
      expect(await durable(url, 'status')).toMatchObject({
        code: 2,
        err: expect.stringContaining('sqlite:///srv/market.db') as string,
      });
    }
    const path = folder();
    const { code, err } = await durable(`sqlite:${path}`, 'status');
    expect([code, err]).toEqual([1, expect.stringContaining(`${path}: `)]);
  });

  it('tells of tables without a queue', async () => {
    const path = join(folder(), 'market.db');
    const database = open!(path);
    onTestFinished(() => void database.close());
    sqliteEngine(database);
    const { code, err } = await durable(`sqlite:${path}`, 'status');
    expect([code, err]).toEqual([1, 'There is no queue of an inbox or an outbox.\n']);
  });

  it('asks for the queue where two have a dead letter of one id', async () => {
    const path = join(folder(), 'market.db');
    const database = open!(path);
    onTestFinished(() => void database.close());
    const engine = sqliteEngine(database);
    for (const name of ['market-a-live-events', 'market-b-live-events']) {
      const limits = { leaseMs: 30_000, keepDoneMs: 1 };
      const queue = await engine.open({ name, ...limits });
      const createdAt = new Date().toISOString();
      await queue.enqueue([{ id: 'evt_1', orderingKey: 'ord_1', body: '{}', createdAt }]);
      const { signal } = new AbortController();
      await queue.work(async () => ({ deadLetter: 'broken' }), {
        concurrency: 1,
        signal,
        untilIdle: true,
      });
      await queue.close();
    }
    const url = `sqlite:${path}`;
    const both = await durable(url, 'retry', 'evt_1');
    expect([both.code, both.err]).toEqual([1, expect.stringContaining('Choose one with --queue')]);
    expect(await durable(url, 'retry', 'evt_1', '--name', 'b')).toMatchObject({ code: 0 });
    expect(await durable(url, 'retry', 'evt_1')).toMatchObject({
      out: expect.stringContaining('market-a-live-events: evt_1') as string,
    });
  });
});

describe('the command durable', () => {
  it('prints the SQL of SQLite, which runs twice', async () => {
    const { code, out } = await durable('sqlite:', 'ddl');
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('create table if not exists market_job'),
    ]);
    const database = open?.(join(folder(), 'market.db'));
    if (database === undefined) return;
    onTestFinished(() => void database.close());
    database.exec(out);
    database.exec(out);
    sqliteEngine(database, { migrate: false });
  });

  it('prints the SQL of PostgreSQL, and connects to nothing', async () => {
    const url = 'postgres://user:pass@127.0.0.1:1/none';
    const { code, out } = await durable(url, 'ddl', '--environment', 'live', '--schema', 'queues');
    expect(code).toBe(0);
    expect(out).toContain('create table if not exists queues.market_checkpoint');
    expect(out.match(/create_queue\('market-default-live-\w+'/g)).toHaveLength(3);
    const { out: json } = await durable('postgres:', 'ddl', '--json');
    expect((JSON.parse(json) as { ddl: string }).ddl).toContain('market-default-sandbox-verdicts');
  });

  it.each([
    [['status'], 'mysql://x', 2, '"--engine" must begin with'],
    [['status'], '', 2, '"--engine" must begin with'],
    [['status'], 'sqlite:', 2, 'needs the path'],
    [['ddl', '--schema', 'a;b'], 'postgres:', 2, '"--schema"'],
    [['ddl', '--name', "x'"], 'postgres:', 2, 'not a valid queue name'],
    [['retry'], 'sqlite:x', 2, '"retry" takes ids, or --all'],
    [['status', 'x'], 'sqlite:x', 2, "too many arguments for 'status'"],
    [['repair'], 'sqlite:x', 2, "unknown command 'repair'"],
    [['dead-letters', '--limit', '0'], 'sqlite:x', 2, "'--limit <n>' argument '0' is invalid"],
  ])('refuses %j on "%s"', async (action, url, code, message) => {
    expect(await durable(url, ...action)).toEqual({
      code,
      out: '',
      err: expect.stringContaining(message) as string,
    });
  });

  it('says what to install, and where it looked', async () => {
    const { runCommandLine } = await import('../../src/command-line/main.js');
    const cwd = folder();
    let err = '';
    const code = await runCommandLine(['durable', 'status', '--engine', 'postgres://u:pw@h/d'], {
      cwd,
      out: () => undefined,
      err: (text: string) => (err += text),
      stop: new AbortController().signal,
    });
    expect([code, err]).toEqual([
      1,
      `The package pg is not installed for ${resolve(cwd)}: run this in the folder of your program, or run npm install pg there.\n`,
    ]);
  });
});

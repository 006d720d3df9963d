/** Runs the engine checks on node:sqlite, in a Node that has it; prints a line for each that fails. */

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteEngine } from 'market-partner-sdk/durable';
import { builtKit } from '../engine-kit/built.mjs';

const { engineChecks } = await import(await builtKit());

const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
const sleepFor = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function create() {
  const folder = mkdtempSync(join(tmpdir(), 'market-durable-'));
  const path = join(folder, 'market.db');
  // The engine must set what it needs: newer releases of Node take both from the whole handle.
  const database = new DatabaseSync(path, { readBigInts: true, returnArrays: true });
  database.exec('create table mark (value integer)');
  let isCrashed = false;
  const sleep = async (ms, signal) => {
    const woken = new Promise((resolve) => signal.addEventListener('abort', resolve));
    await Promise.race([sleepFor(ms), woken]);
    // Sleeps of a dead process end no more.
    if (isCrashed) await new Promise(() => undefined);
  };
  const transaction = async (work) => {
    database.exec('begin immediate');
    try {
      await work(database);
      database.exec('commit');
    } catch (error) {
      database.exec('rollback');
      throw error;
    }
  };
  return {
    engine: sqliteEngine(database, { sleep }),
    another: () => sqliteEngine(path),
    crash: () => (isCrashed = true),
    interrupt: (ms) => transaction(() => sleepFor(ms)),
    transaction,
    marks: {
      write: (tx) => tx.prepare('insert into mark values (1)').run(),
      count: () => Number(Object.values(database.prepare('select count(*) from mark').get())[0]),
    },
    close: () => {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The rights of the files that an engine makes by itself, where the process would let all read them. */
async function modesOfFiles() {
  process.umask(0);
  const folder = mkdtempSync(join(tmpdir(), 'market-durable-'));
  const path = join(folder, 'market.db');
  const limits = { leaseMs: 1_000, keepDoneMs: 1_000 };
  const queue = await sqliteEngine(path).open({ name: 'modes', ...limits });
  const createdAt = '2026-03-01T12:00:00Z';
  await queue.enqueue([{ id: 'a', orderingKey: 'a', body: '{"email":"buyer"}', createdAt }]);
  const modes = ['', '-wal', '-shm'].map((end) => (statSync(path + end).mode & 0o777).toString(8));
  await queue.close();
  rmSync(folder, { recursive: true });
  return modes;
}

const checks = engineChecks(create, { leaseMs: 400, backlog: 2_000, claimMs: 100 });
const failures = [];
for (const { name, run } of checks) {
  await run().catch((error) => failures.push(`${name}: ${error.message}`));
}
console.log(JSON.stringify({ checks: checks.length, failures, modes: await modesOfFiles() }));
process.exit(0);

import { expect, it } from 'vitest';
import type { SqlExecutor } from '../../../src/durable/pg-boss/boss.js';
import { TableStatistics } from '../../../src/durable/pg-boss/table-statistics.js';

/** A database whose job table PostgreSQL believes to have this many rows. A look runs until `endLook`. */
function databaseOf(known: number) {
  const looks: string[] = [];
  let resolveLook: () => void = () => undefined;
  const db: SqlExecutor = {
    executeSql: (text) => {
      if (text.startsWith('select'))
        return Promise.resolve({ rows: [{ row: JSON.stringify({ known }) }] });
      looks.push(text);
      return new Promise((resolve) => {
        resolveLook = () => resolve({ rows: [] });
      });
    },
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const statistics = new TableStatistics(db, 'pgboss');
  return {
    looks,
    record: async (changes: number) => {
      statistics.recordChanges(changes);
      await settle();
    },
    endLook: async () => {
      resolveLook();
      await settle();
    },
  };
}

const columns = '(name, state, policy, singleton_key, start_after, created_on)';

it('vacuums and analyzes a new table, and again when the changes have doubled', async () => {
  const { looks, record, endLook } = databaseOf(0);
  await record(499);
  expect(looks).toEqual([]);
  await record(1);
  expect(looks).toEqual([`vacuum (analyze, skip_locked) pgboss.job ${columns}`]);
  await endLook();
  await record(499);
  expect(looks).toHaveLength(1);
  await record(1);
  expect(looks).toHaveLength(2);
});

it('analyzes a large table without a vacuum, and again after eight times the changes', async () => {
  const { looks, record, endLook } = databaseOf(1_000_000);
  await record(500);
  expect(looks).toEqual([`analyze (skip_locked) pgboss.job ${columns}`]);
  await endLook();
  await record(3_499);
  expect(looks).toHaveLength(1);
  await record(1);
  expect(looks).toHaveLength(2);
});

it('does not look while a look runs, however much changes meanwhile', async () => {
  const { looks, record, endLook } = databaseOf(1_000_000);
  await record(500);
  for (let at = 0; at < 10; at++) await record(5_000);
  expect(looks).toHaveLength(1);
  await endLook();
  await record(1);
  expect(looks).toHaveLength(2);
});

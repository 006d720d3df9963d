import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sqliteEngine } from 'market-partner-sdk/durable';
import { expect, it } from 'vitest';
import { engineChecks } from './engine-kit/index.js';
import { memoryUnderTest } from './support/engines-under-test.js';
import { findNodeWithSqlite } from './support/find-sqlite.js';

const node = findNodeWithSqlite();

it.skipIf(node === undefined)(
  'node:sqlite passes the engine checks, and no other user may read its files',
  { timeout: 180_000 },
  async () => {
    const args = ['--no-warnings', 'test/durable/support/run-sqlite-checks.mjs'];
    const { stdout } = await promisify(execFile)(node!, args);
    const checks = engineChecks(memoryUnderTest).length;
    expect(JSON.parse(stdout)).toEqual({ checks, failures: [], modes: ['600', '600', '600'] });
  },
);

it.skipIf(node === process.execPath)('without node:sqlite, the error names the ways out', () => {
  expect(() => sqliteEngine('market.db')).toThrow(/Node 22\.13.*better-sqlite3.*memoryEngine/);
});

it('refuses a database in memory, and what is no database', () => {
  expect(() => sqliteEngine(':memory:')).toThrow(/memoryEngine\(\)/);
  expect(() => sqliteEngine({} as never)).toThrow('sqliteEngine takes a path');
});

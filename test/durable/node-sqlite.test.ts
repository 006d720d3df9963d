import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { expect, it, onTestFinished, vi } from 'vitest';
import { engineChecks } from './engine-kit/index.js';
import { sqliteEngine } from './support/open-engines.js';
import { memoryUnderTest } from './support/engines-under-test.js';
import { findBetterSqlite, findNodeWithSqlite } from './support/find-sqlite.js';

const node = findNodeWithSqlite();
const openBetter = findBetterSqlite();

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

it.each([
  'postgres://db/market',
  'file:market.db',
  'file:///market.db?mode=ro',
  'sqlite:market.db?mode=ro',
  '//host/market.db',
])('refuses %s: it would be the name of a file', (url) => {
  expect(() => sqliteEngine(url)).toThrow('this is the url of something else');
});

it.skipIf(openBetter === undefined)('resolves a path once, and names it', async () => {
  const opened: string[] = [];
  // A function that returns an object is a constructor, too.
  function DatabaseSync(path: string) {
    opened.push(path);
    return openBetter!(path);
  }
  const folder = mkdtempSync(join(tmpdir(), 'market-path-'));
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  const builtin = vi
    .spyOn(
      process as unknown as { getBuiltinModule: (name: string) => unknown },
      'getBuiltinModule',
    )
    .mockReturnValue({ DatabaseSync });
  onTestFinished(() => {
    cwd.mockRestore();
    builtin.mockRestore();
    rmSync(folder, { recursive: true });
  });
  const engine = sqliteEngine('sqlite:market.db');
  cwd.mockReturnValue(join(folder, 'elsewhere'));
  const limits = { leaseMs: 1_000, keepDoneMs: 1 };
  await (await engine.open({ name: 'market-paths', ...limits })).close();
  sqliteEngine(pathToFileURL(join(folder, 'market.db')).href);
  expect(new Set(opened)).toEqual(new Set([join(folder, 'market.db')]));
  const missing = join(folder, 'missing', 'market.db');
  expect(() => sqliteEngine(missing)).toThrow(missing);
});

it('refuses a database in memory, and what is no database', () => {
  for (const memory of [':memory:', 'sqlite::memory:']) {
    expect(() => sqliteEngine(memory)).toThrow(/memoryEngine\(\)/);
  }
  expect(() => sqliteEngine({} as never)).toThrow('"database" must be a path, a DatabaseSync');
});

/** `temporaryDatabases`: handles on files of a new folder for each test, closed and removed after it. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SqliteDatabase } from 'market-partner-sdk/durable';
import { afterEach, beforeEach, expect } from 'vitest';

export function temporaryDatabases(openFile: ((path: string) => SqliteDatabase) | undefined) {
  const opened: SqliteDatabase[] = [];
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'market-durable-'));
  });
  afterEach(() => {
    for (const database of opened.splice(0)) database.close();
    rmSync(folder, { recursive: true });
  });
  return {
    get folder() {
      return folder;
    },
    open: (name = 'market.db'): SqliteDatabase => {
      if (openFile === undefined) return expect.fail('better-sqlite3 is not installed');
      const database = openFile(join(folder, name));
      opened.push(database);
      return database;
    },
  };
}

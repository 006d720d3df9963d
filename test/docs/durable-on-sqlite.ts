/** SQLite for the programs of the docs: real databases, in a folder that goes with the program. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as durable from 'market-partner-sdk/durable';
import { findBetterSqlite } from '../durable/support/find-sqlite.js';
import type { Program } from './programs.js';

type Open = (path: string) => durable.SqliteDatabase;

const openFile = findNodeSqlite() ?? findBetterSqlite();

/** Whether a program finds what it needs: without any SQLite, those that use it are only compiled. */
export function canRun({ parts }: Program): boolean {
  return openFile !== undefined || !parts.some(({ code }) => code.includes('sqlite'));
}

/**
 * The modules `market-partner-sdk/durable` and `node:sqlite`, with each file in a temporary folder.
 *
 * @param cleanups - receives the stop of each inbox and outbox: a program that stays up does not stop it.
 */
export function durableOnSqlite(cleanups: (() => unknown)[]) {
  let folder: string | undefined;
  const open: Open = (path) => {
    if (openFile === undefined) throw new Error('no SQLite is installed');
    if (folder === undefined) {
      const created = mkdtempSync(join(tmpdir(), 'docs-'));
      cleanups.push(() => rmSync(created, { recursive: true }));
      folder = created;
    }
    const database = openFile(join(folder, basename(path)));
    cleanups.push(() => closeUnlessClosed(database));
    return database;
  };
  const stopped = <Stoppable extends { stop(options: { graceMs: number }): unknown }>(
    service: Stoppable,
  ) => {
    cleanups.push(() => service.stop({ graceMs: 0 }));
    return service;
  };
  const sqliteEngine: typeof durable.sqliteEngine = (database, options) =>
    durable.sqliteEngine(typeof database === 'string' ? open(database) : database, options);
  const createEventInbox: typeof durable.createEventInbox = (options) =>
    stopped(durable.createEventInbox(options));
  const createOrderOutbox: typeof durable.createOrderOutbox = (options) =>
    stopped(durable.createOrderOutbox(options));
  return {
    durable: { ...durable, sqliteEngine, createEventInbox, createOrderOutbox },
    nodeSqlite: {
      DatabaseSync: function (path: string) {
        return open(path);
      },
    },
  };
}

/** A program may have closed it itself, and node:sqlite throws the second time. */
function closeUnlessClosed(database: durable.SqliteDatabase): void {
  try {
    database.close();
  } catch (error) {
    if (!String(error).includes('not open')) throw error;
  }
}

function findNodeSqlite(): Open | undefined {
  const { getBuiltinModule } = process as { getBuiltinModule?: (name: string) => unknown };
  const found = getBuiltinModule?.('node:sqlite') as
    { DatabaseSync: new (path: string) => durable.SqliteDatabase } | undefined;
  return found && ((path) => new found.DatabaseSync(path));
}

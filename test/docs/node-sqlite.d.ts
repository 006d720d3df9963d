/** What the snippets call of node:sqlite: the types of Node 20 do not have it. */

import type { SqliteDatabase } from 'market-partner-sdk/durable';

interface Statement {
  run(...values: unknown[]): { readonly changes: number | bigint };
  get(...values: unknown[]): Record<string, unknown> | undefined;
  all(...values: unknown[]): Record<string, unknown>[];
}

export const DatabaseSync: new (
  path: string,
) => Omit<SqliteDatabase, 'prepare'> & { prepare(sql: string): Statement };

/** What the snippets call of node:sqlite: the types of Node 20 do not have it. */

import type { SqliteDatabase } from 'market-partner-sdk/durable';

export const DatabaseSync: new (path: string) => SqliteDatabase;

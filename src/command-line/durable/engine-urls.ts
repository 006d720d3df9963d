/** The engines that `--engine` knows: one row for each kind of url. */

import { UsageError } from '../terminal.js';
import type { EngineKind } from './engine-kind.js';
import { openPostgres, postgresDdl } from './postgres-url.js';
import { openSqlite, sqliteDdl } from './sqlite-url.js';

const kinds: readonly EngineKind[] = [
  { protocols: ['sqlite:'], open: openSqlite, ddl: sqliteDdl },
  { protocols: ['postgres:', 'postgresql:'], open: openPostgres, ddl: postgresDdl },
];

/** @throws {@link UsageError} for a url of another kind; it may hold a password and is not shown. */
export function engineKindOf(url: string): EngineKind {
  const kind = kinds.find(({ protocols }) => protocols.some((each) => url.startsWith(each)));
  if (kind !== undefined) return kind;
  const known = kinds.flatMap(({ protocols }) => protocols).join(' or ');
  throw new UsageError(`"--engine" must begin with ${known}`);
}

/** `withEngine`: the engine of a `sqlite:` or `postgres:` url, by the partner's own packages. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { causeChain } from '../../core/errors/cause.js';
import {
  checkpointDdl,
  findNodeSqlite,
  pageIndexDdl,
  pgBossEngine,
  queueDdl,
  resolvePath,
  schemaName,
  sqliteEngine,
  sqliteSchema,
  startEngine,
  type BossClass,
  type PgClientLike,
  type PoolClass,
  type QueueEngine,
  type SqliteDatabase,
} from '../../durable/operator.js';
import { messageOf, UsageError } from '../terminal.js';
import { parseUrl, percentDecoded } from '../../core/parse-url.js';

/** What an engine is opened with. */
export interface EngineRequest {
  readonly url: string;
  /** PostgreSQL: the schema of pg-boss. */
  readonly schema: string;
  /** Where the partner's packages and a relative path are looked for. */
  readonly cwd: string;
  /** Whether the action changes a job: all others only read. */
  readonly writes: boolean;
  /** Whether missing tables, queues and files are created. */
  readonly creates?: boolean | undefined;
}

/** An engine, and how it is closed. */
interface OpenEngine {
  readonly engine: QueueEngine;
  readonly close: () => unknown;
}

interface EngineKind {
  readonly open: (request: EngineRequest) => OpenEngine | Promise<OpenEngine>;
  /** @param queues - the names of the queues that a program needs */
  readonly ddl: (schema: string, queues: readonly string[]) => string;
}

const kinds: Readonly<Record<string, EngineKind>> = {
  sqlite: { open: openSqlite, ddl: () => sqliteSchema.trimStart() },
  postgres: { open: openPostgres, ddl: postgresDdl },
  postgresql: { open: openPostgres, ddl: postgresDdl },
};

/** The SQL that the engine of a url needs. Connects to nothing. */
export function ddlOf(url: string, schema: string, queues: readonly string[]): string {
  return kindOf(url).ddl(checkedSchema(schema), queues);
}

/** Opens the engine of the url for `work`, and closes it. */
export async function withEngine<T>(
  request: EngineRequest,
  work: (engine: QueueEngine) => Promise<T>,
): Promise<T> {
  const { open } = kindOf(request.url);
  checkedSchema(request.schema);
  try {
    const { engine, close } = await open(request);
    try {
      return await work(engine);
    } finally {
      await close();
    }
  } catch (error) {
    throw error instanceof UsageError ? error : withoutUrl(error, request.url);
  }
}

/** @throws {@link UsageError} for a url of another kind; it may hold a password and is not shown. */
function kindOf(url: string): EngineKind {
  const kind = kinds[url.split(':', 1)[0] ?? ''];
  if (kind !== undefined && url.includes(':')) return kind;
  const known = Object.keys(kinds).map((name) => `${name}:`);
  throw new UsageError(`"--engine" must begin with ${known.join(' or ')}`);
}

function checkedSchema(schema: string): string {
  if (schemaName.test(schema)) return schema;
  throw new UsageError('"--schema" must be 1 to 50 letters, digits or underscores');
}

/** Not async: both drivers respond in the same turn. */
function openSqlite({ url, cwd, writes, creates = false }: EngineRequest): OpenEngine {
  const path = pathOf(url, cwd);
  // Both drivers create a file that is missing.
  if (!creates && !existsSync(path)) throw new Error(`There is no file ${path}.`);
  let database: SqliteDatabase | undefined;
  try {
    database = openFile(path, cwd, !writes);
    const engine = sqliteEngine(database, { migrate: creates }) as QueueEngine;
    return { engine, close: () => database?.close() };
  } catch (error) {
    database?.close();
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

function pathOf(url: string, cwd: string): string {
  try {
    return resolvePath(url, cwd);
  } catch {
    throw new UsageError(
      '"--engine" needs the path of a file: sqlite:market.db or sqlite:///srv/market.db',
    );
  }
}

function openFile(path: string, cwd: string, readOnly: boolean): SqliteDatabase {
  const DatabaseSync = findNodeSqlite();
  if (DatabaseSync !== undefined) return new DatabaseSync(path, { readOnly });
  const Database = requirePackage(cwd, 'better-sqlite3') as new (
    path: string,
    options: { readonly: boolean },
  ) => SqliteDatabase;
  return new Database(path, { readonly: readOnly });
}

async function openPostgres({
  url,
  schema,
  cwd,
  creates: migrate = false,
}: EngineRequest): Promise<OpenEngine> {
  const { Pool } = requirePackage(cwd, 'pg') as { Pool: PoolClass<PgClientLike> };
  const { PgBoss } = requirePackage(cwd, 'pg-boss') as { PgBoss?: BossClass };
  if (PgBoss === undefined) throw new Error('The pg-boss of your program is older than 12.35.');
  const connection = { connectionString: url, max: 2, connectionTimeoutMillis: 10_000 };
  const pool = new Pool(connection);
  // No maintenance here: the running programs do it.
  const passive = { migrate, createSchema: migrate, supervise: false, schedule: false };
  const boss = new PgBoss({ ...connection, schema, ...passive });
  try {
    const create = () => pgBossEngine(boss, { pool, schema, migrate }) as QueueEngine;
    return await startEngine(boss, pool, () => () => undefined, create);
  } catch (error) {
    throw new Error(explainStart(error, schema), { cause: error });
  }
}

/** pg-boss calls its missing tables "not installed", which sounds like a package. */
function explainStart(error: unknown, schema: string): string {
  const message = reasonOf(error);
  if (message.includes('not installed')) {
    return `There are no tables of pg-boss in the schema ${schema}. Check that this is the database of your program, and its --schema.`;
  }
  if (message.includes('requires migrations')) {
    return `The tables of pg-boss in the schema ${schema} are of another version than the pg-boss installed here. Use the one of your program.`;
  }
  return message;
}

/** What pg-boss itself needs comes from its own command: it knows its version. */
function postgresDdl(schema: string, queues: readonly string[]): string {
  return [
    `-- 1. The tables of pg-boss, by its own command: npx pg-boss migrate --schema ${schema}`,
    '',
    '-- 2. The table of market-partner-sdk, and its index of the table of pg-boss:',
    `${checkpointDdl(schema)};`,
    `${pageIndexDdl(schema)};`,
    '',
    '-- 3. The queues; again for each environment, and for each name:',
    ...queues.map((queue) => `${queueDdl(schema, queue)};`),
    '',
  ].join('\n');
}

/** An error of a driver may quote the url, or its password as the server gets it. */
function withoutUrl(error: unknown, url: string): Error {
  const password = parseUrl(url)?.password ?? '';
  const hidden = [url, password, percentDecoded(password) ?? ''].filter((text) => text !== '');
  return new Error(hidden.reduce((text, it) => text.replaceAll(it, '[hidden]'), reasonOf(error)));
}

/** Node reports a refused connection as an `AggregateError` without a message. */
function reasonOf(error: unknown): string {
  const message = messageOf(error);
  if (message !== '') return message;
  const found = causeChain(error).find((each) => each.message !== '' || each.code !== '');
  return found === undefined ? 'unknown error' : found.message || found.code;
}

/**
 * A package of the partner's project, which this package does not depend on.
 *
 * @throws {@link Error} that says what to install, and where it was looked for.
 */
function requirePackage(cwd: string, name: string): unknown {
  const folder = resolve(cwd);
  const requireFrom = createRequire(`${folder}/`);
  try {
    requireFrom.resolve(name);
  } catch {
    throw new Error(
      `The package ${name} is not installed for ${folder}: run this in the folder of your program, or run npm install ${name} there.`,
    );
  }
  try {
    return requireFrom(name);
  } catch (error) {
    throw new Error(
      `The package ${name} does not load on Node ${process.versions.node}: ${messageOf(error)}`,
    );
  }
}

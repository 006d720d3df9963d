/** The members of pg-boss 12 and of pg that the engine calls; the partner passes the instances. */

/** Runs SQL: what pg-boss takes as `db`. */
export interface SqlExecutor {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** What pg-boss gives back for a LISTEN. */
export interface ListenHandle {
  close(): Promise<void>;
}

/** The database of a boss. One that the partner wrote for it may be without `listen`. */
export interface BossDatabase extends SqlExecutor {
  listen?(
    channel: string,
    onNotification: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<ListenHandle>;
}

/**
 * The rows of a select. Each is read as JSON text, for how a client gives numbers, times, jsonb and the names of
 * columns depends on its parsers and plugins.
 */
export async function readRows<Row>(
  db: SqlExecutor,
  select: string,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await db.executeSql(`select to_json(r)::text as row from (${select}) r`, values);
  return rows.map((row) => {
    const { row: text } = (Array.isArray(row) ? { row: row[0] as string } : row) as { row: string };
    return JSON.parse(text) as Row;
  });
}

/** A client of a pg `Pool`. */
export interface PgClientLike {
  /** `command` is the tag of what PostgreSQL did: a `commit` may end as `'ROLLBACK'`. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[]; command?: string }>;
  /** `'T'` in a transaction; pg has it from 8.18. */
  getTransactionStatus?(): string | null;
  on?(event: 'error', listener: (error: Error) => void): unknown;
  removeListener?(event: 'error', listener: (error: Error) => void): unknown;
}

/** A pg `Pool`. */
export interface PgPoolLike<Client extends PgClientLike = PgClientLike> {
  connect(): Promise<Client & { release(error?: boolean | Error): void }>;
  /** pg has it: TypeScript infers `Client` from the overloads in pairs, the last with the last. */
  connect(callback: (...args: never[]) => void): void;
}

/** One claim of a job: pg-boss refuses the result of an older one. */
export interface BossAttempt {
  readonly id: string;
  readonly retryCount: number;
}

interface OnDatabase {
  db?: SqlExecutor;
}

/** The policy of the queues: one job of a key at a time, in order. */
export const queuePolicy = 'key_strict_fifo';

/** A `PgBoss` of pg-boss 12.35 or later, started. */
export interface PgBossLike {
  createQueue(name: string, options: object): Promise<unknown>;
  getQueue(
    name: string,
  ): Promise<{ readonly createdOn: unknown; readonly policy?: string | undefined } | null>;
  getJobById(name: string, id: string): Promise<unknown>;
  insert(
    name: string,
    jobs: BossInsert[],
    options: { returnId: boolean } & OnDatabase,
  ): Promise<string[] | null>;
  fetch(
    name: string,
    options: { batchSize: number; includeMetadata: true },
  ): Promise<readonly unknown[]>;
  complete(
    name: string,
    id: string | BossAttempt,
    output: object,
    options?: { includeQueued?: boolean } & OnDatabase,
  ): Promise<unknown>;
  fail(
    name: string,
    id: string | BossAttempt,
    output: object,
    options?: OnDatabase,
  ): Promise<unknown>;
  touch(name: string, ids: BossAttempt[], options: OnDatabase): Promise<unknown>;
  update(
    name: string,
    data: object | undefined,
    options: { id: string } & BossChange & OnDatabase,
  ): Promise<unknown>;
  retry(name: string, id: string, options: OnDatabase): Promise<unknown>;
  deleteJob(name: string, ids: string[]): Promise<unknown>;
  getDb(): BossDatabase;
  on(event: 'error', listener: (error: Error) => void): unknown;
  listenerCount(event: 'error'): number;
}

/** A job to insert, as pg-boss names its fields. */
export interface BossInsert {
  id: string;
  data: object;
  singletonKey: string;
  retryLimit: number;
  expireInSeconds: number;
  heartbeatSeconds: number;
  retentionSeconds: number;
  deleteAfterSeconds: number;
}

/** What `update` changes of a job that is not running. */
export interface BossChange {
  startAfter?: string;
  retryLimit?: number;
  deleteAfterSeconds?: number;
}

/** No job has it. */
export const noJob = '00000000-0000-0000-0000-000000000000';

/** How many jobs a call of pg-boss changed. */
export function affectedBy(response: unknown): number {
  return Number((response as { affected?: unknown } | null)?.affected ?? 0);
}

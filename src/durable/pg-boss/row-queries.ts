/** What the engine reads of pg-boss's job table, and the two things that it writes past pg-boss. */

import type { QueueCounts } from '../queue/job.js';
import { queuePolicy, readRows, type BossAttempt, type SqlExecutor } from './boss.js';
import type { Row } from './rows.js';

const columns = `id, state::text as state, data, retry_count, started_on is not null as is_started,
  extract(epoch from created_on)::float8 * 1000 as created_ms, created_on as created_text, output`;

/**
 * pg-boss's index of the jobs that were claimed (active, retry, failed) holds those of this policy, which
 * PostgreSQL uses only where a query names it: without it, a query reads every row, done ones too.
 */
const isIndexed = `policy = '${queuePolicy}'`;

const expiredCondition = `state = 'active' and ${isIndexed}
  and heartbeat_on + heartbeat_seconds * interval '1 second' < now()`;

const runningCondition = "state = 'active' and id = any($2::uuid[])";

/** Waiting jobs that a fetch would give: pg-boss holds back those behind a job that is not done. */
const dueCondition = (jobs: string) => `state in ('created', 'retry') and start_after <= now()
  and (state = 'retry' or not exists (select 1 from ${jobs} before
    where before.name = job.name and before.singleton_key = job.singleton_key
      and before.state in ('active', 'retry', 'failed') and before.${isIndexed}))`;

export async function listQueues(db: SqlExecutor, schema: string): Promise<string[]> {
  const rows = await readRows<{ name: string }>(db, `select name from ${schema}.queue`, []);
  return rows.map(({ name }) => name);
}

export class RowQueries {
  readonly #db: SqlExecutor;
  readonly #jobs: string;
  readonly #queue: string;

  constructor(db: SqlExecutor, schema: string, queue: string) {
    this.#db = db;
    this.#jobs = `${schema}.job`;
    this.#queue = queue;
  }

  find(uuids: readonly string[], db?: SqlExecutor): Promise<Row[]> {
    const select = `select ${columns} from ${this.#jobs} where name = $1 and id = any($2::uuid[])`;
    return this.#read(select, [uuids], db);
  }

  /** Which of these jobs the queue knows, in whatever state. */
  async known(uuids: readonly string[]): Promise<ReadonlySet<string>> {
    const select = `select id from ${this.#jobs} where name = $1 and id = any($2::uuid[])`;
    const rows = await this.#read<{ id: string }>(select, [uuids]);
    return new Set(rows.map(({ id }) => id));
  }

  /** @param values - from `$2` on; `$1` is the queue */
  #read<T>(select: string, values: unknown[], db = this.#db): Promise<T[]> {
    return readRows(db, select, [this.#queue, ...values]);
  }

  /**
   * pg-boss orders the jobs of a key by `created_on`, which is the time of the transaction, then by uuid:
   * jobs that one transaction stores would lose their order. Those whose key comes more than once get
   * times that are a microsecond apart, less than their insert took.
   */
  async keepOrder(
    added: readonly { readonly id: string; readonly singletonKey: string }[],
    db: SqlExecutor,
  ): Promise<void> {
    const seen = new Set<string>();
    const later = added.filter(({ singletonKey }) => {
      const isLater = seen.has(singletonKey);
      seen.add(singletonKey);
      return isLater;
    });
    if (later.length === 0) return;
    await db.executeSql(
      `update ${this.#jobs} j set created_on = j.created_on + o.place * interval '1 microsecond'
       from unnest($2::uuid[]) with ordinality as o (id, place) where j.name = $1 and j.id = o.id`,
      [this.#queue, later.map(({ id }) => id)],
    );
  }

  /** What a job ended with takes the place of its body: a buyer in it must not stay for as long as the row. */
  async forgetBody(uuid: string, db: SqlExecutor): Promise<void> {
    await db.executeSql(
      `update ${this.#jobs} set data = data - 'body' where name = $1 and id = $2::uuid`,
      [this.#queue, uuid],
    );
  }

  /** @param selection - `cursor` is "time id" of the last row before the page. */
  async list(selection: {
    readonly states: readonly string[];
    readonly limit: number;
    readonly cursor: string | undefined;
    readonly outcome: string | undefined;
    readonly singletonKey: string | undefined;
  }): Promise<Row[]> {
    const { states, limit, cursor, outcome, singletonKey } = selection;
    const values: unknown[] = [limit];
    // `$1` is the queue.
    const bind = (value: unknown) => `$${values.push(value) + 1}`;
    const conditions = [`name = $1 and ${isIndexed}`];
    if (cursor !== undefined) {
      const at = cursor.lastIndexOf(' ');
      const [time, id] = [bind(cursor.slice(0, at)), bind(cursor.slice(at + 1))];
      conditions.push(`(created_on, id) > (${time}::timestamptz, ${id}::uuid)`);
    }
    if (outcome !== undefined) conditions.push(`output->>'outcome' = ${bind(outcome)}`);
    if (singletonKey !== undefined) conditions.push(`singleton_key = ${bind(singletonKey)}`);
    // A page of each state: the index has its rows in their order, so no more are read.
    const pages = states.map(
      (state) =>
        `(select * from ${this.#jobs} where ${conditions.join(' and ')} and state = '${state}'
          ${state === 'created' ? 'and not blocked' : ''} order by created_on, id limit $2)`,
    );
    return this.#read(
      `select ${columns} from (${pages.join(' union all ')}) page order by created_on, id limit $2`,
      values,
    );
  }

  async counts(): Promise<QueueCounts> {
    const [counts] = (await this.#read<QueueCounts>(
      `select
         count(*) filter (where state in ('created', 'retry'))::int as waiting,
         count(*) filter (where state = 'active')::int as running,
         count(*) filter (where state = 'failed')::int as dead,
         extract(epoch from now() - min(created_on) filter (where state < 'completed'))::float8
           * 1000 as "oldestWaitingMs",
         case when count(*) filter (where state = 'active' and not (${expiredCondition})) > 0
           then null
           else extract(epoch from now() - least(
             min(heartbeat_on + heartbeat_seconds * interval '1 second')
               filter (where ${expiredCondition}),
             min(start_after) filter (where ${dueCondition(this.#jobs)})
           ))::float8 * 1000
         end as "overdueMs"
       from ${this.#jobs} job where name = $1`,
      [],
    )) as [QueueCounts];
    return counts;
  }

  /** Milliseconds until the next retry is due; `undefined` if none waits. */
  async msUntilRetry(): Promise<number | undefined> {
    const [row] = await this.#read<{ ms: number | null }>(
      `select extract(epoch from min(start_after) - now())::float8 * 1000 as ms
       from ${this.#jobs} where name = $1 and state = 'retry' and ${isIndexed} and start_after > now()`,
      [],
    );
    return row?.ms ?? undefined;
  }

  /** Claims whose lease has ended: their workers died, or lost their connection. */
  expired(): Promise<BossAttempt[]> {
    return this.#attempts(expiredCondition, []);
  }

  /** The same, locked; without those that another transaction holds. */
  lockExpired(db: SqlExecutor): Promise<BossAttempt[]> {
    return this.#attempts(`${expiredCondition} for update skip locked`, [], db);
  }

  /** The attempts that are still running, locked; without those that another transaction holds. */
  async lockRunning(attempts: readonly BossAttempt[], db: SqlExecutor): Promise<BossAttempt[]> {
    const uuids = attempts.map(({ id }) => id);
    const running = await this.#attempts(`${runningCondition} for update skip locked`, [uuids], db);
    const isAsked = new Set(attempts.map(({ id, retryCount }) => `${id}:${retryCount}`));
    return running.filter(({ id, retryCount }) => isAsked.has(`${id}:${retryCount}`));
  }

  /** The attempts at these jobs that run now, under whatever claim. */
  running(attempts: readonly BossAttempt[], db: SqlExecutor): Promise<BossAttempt[]> {
    return this.#attempts(runningCondition, [attempts.map(({ id }) => id)], db);
  }

  #attempts(condition: string, values: unknown[], db?: SqlExecutor): Promise<BossAttempt[]> {
    const select = `select id, retry_count as "retryCount" from ${this.#jobs} where name = $1 and ${condition}`;
    return this.#read(select, values, db);
  }

  async doneBefore(date: Date, limit: number): Promise<string[]> {
    const rows = await this.#read<{ id: string }>(
      `select id from ${this.#jobs}
       where name = $1 and state = 'completed' and completed_on < $2 limit $3`,
      [date, limit],
    );
    return rows.map(({ id }) => id);
  }
}

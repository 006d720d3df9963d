/** The SQL of `sqliteEngine`. States are those of the schema: 0 waiting, 1 running, 2 dead, 3 done. */

import { prepare, type SqliteDatabase, type SqliteStatement } from './database.js';

const sql = {
  /** Due at once, unless an earlier job of the ordering key is open. */
  insert: `
    insert into market_job (queue, id, ordering_key, state, due_at, due_set_at, attempt, claims, body, created_at, enqueued_at)
    values (?, ?, ?, 0,
      iif(exists (select 1 from market_job
        where queue = ? and ordering_key = ? and state < 3), null, ?),
      ?, 0, 0, ?, ?, ?)
    on conflict (queue, id) do nothing`,
  claim: `
    update market_job
    set state = 1, attempt = attempt + 1, claims = claims + 1, due_at = ?, due_set_at = ?, token = ? || seq
    where seq in (select seq from market_job where queue = ? and due_at <= ? order by due_at, seq limit ?)
    returning *`,
  renew: `
    update market_job set due_at = ?, due_set_at = ? where queue = ? and seq = ? and token = ?`,
  markDone: `
    update market_job set output = ?, outcome = ?, done_at = ?, state = 3, due_at = null, token = null, body = null
    where queue = ? and seq = ? and token = ?`,
  moveToDeadLetters: `
    update market_job set error = ?, state = 2, due_at = null, token = null
    where queue = ? and seq = ? and token = ?`,
  release: `
    update market_job set due_at = ?, due_set_at = ?, attempt = attempt - ?, error = coalesce(?, error),
      failing_since = coalesce(failing_since, ?), state = 0, token = null
    where queue = ? and seq = ? and token = ?`,
  unblockNext: `
    update market_job set due_at = ?, due_set_at = ? where seq = (select seq from market_job
      where queue = ? and ordering_key = ? and state < 3 and state = 0 order by seq limit 1)`,
  requeue: `
    update market_job set state = 0, attempt = 0, failing_since = null, due_at = ?, due_set_at = ?
    where queue = ? and id = ? and state = 2`,
  complete: `
    update market_job set output = ?, outcome = ?, done_at = ?, state = 3, body = null
    where queue = ? and id = ? and state = 2 returning *`,
  /** Shifts the times that were set while the clock was ahead, as if they were set now. */
  rebase: `
    update market_job set due_at = due_at - due_set_at + ?, due_set_at = ?
    where queue = ? and due_at > ? and due_set_at > ?`,
  nextDueAt: 'select min(due_at) as due_at from market_job where queue = ? and due_at is not null',
  find: 'select * from market_job where queue = ? and id = ?',
  listOpen: `
    select * from market_job where queue = ? and state < 3 and (? is null or state = ?) and seq > ?
    order by seq limit ?`,
  listOpenOfKey: `
    select * from market_job where queue = ? and ordering_key = ? and state < 3
      and (? is null or state = ?) and seq > ? order by seq limit ?`,
  listDone: `
    select * from market_job where queue = ? and state = 3 and seq > ? and (? is null or outcome = ?)
    order by seq limit ?`,
  counts: `
    select coalesce(sum(state = 0), 0) as waiting, coalesce(sum(state = 1), 0) as running,
      coalesce(sum(state = 2), 0) as dead, min(due_at) as due_at,
      coalesce(max(state = 1 and due_at > ?), 0) as is_worked_on
    from market_job where queue = ? and state < 3`,
  oldest: `
    select min(enqueued_at) as oldest from market_job where queue = ? and state < 3 and state < 2`,
  prune: 'delete from market_job where queue = ? and state = 3 and done_at < ?',
  readCheckpoint: 'select checkpoint from market_checkpoint where queue = ?',
  writeCheckpoint: `
    insert into market_checkpoint (queue, checkpoint) values (?, ?)
    on conflict (queue) do update set checkpoint = excluded.checkpoint`,
} as const;

export type Statements = Readonly<Record<keyof typeof sql, SqliteStatement>>;

export function prepareStatements(database: SqliteDatabase): Statements {
  const prepared = Object.entries(sql).map(([name, text]) => [name, prepare(database, text)]);
  return Object.fromEntries(prepared) as Statements;
}

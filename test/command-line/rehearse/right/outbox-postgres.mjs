import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import { openPostgres } from '../databases.mjs';
import { DurableShop, receive } from '../durable-shop.mjs';
import { onFastify } from '../servers.mjs';

const schema = process.env.REHEARSAL_SCHEMA ?? 'rehearsal';
const { boss, pool } = await openPostgres(schema);
await pool.query(`create table if not exists ${schema}.refund (order_id text primary key)`);

const shop = await new DurableShop(pgBossEngine(boss, { pool, schema, pollMs: 200 }), {
  add: (order_id) =>
    pool.query(`insert into ${schema}.refund values ($1) on conflict do nothing`, [order_id]),
  has: async (order_id) =>
    (await pool.query(`select 1 from ${schema}.refund where order_id = $1`, [order_id]))
      .rowCount === 1,
}).start();
onFastify(shop, receive(shop));

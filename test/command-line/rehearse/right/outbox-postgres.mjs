import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import { openPostgres } from '../databases.mjs';
import { DurableShop, receive } from '../durable-shop.mjs';
import { onFastify } from '../servers.mjs';

const schema = process.env.REHEARSAL_SCHEMA ?? 'rehearsal';
const { boss, pool } = await openPostgres(schema);
await pool.query(`create table if not exists ${schema}.refund (domain text primary key)`);

const shop = await new DurableShop(pgBossEngine(boss, { pool, schema, pollMs: 200 }), {
  add: (domain) =>
    pool.query(`insert into ${schema}.refund values ($1) on conflict do nothing`, [domain]),
  has: async (domain) =>
    (await pool.query(`select 1 from ${schema}.refund where domain = $1`, [domain])).rowCount === 1,
}).start();
onFastify(shop, receive(shop));

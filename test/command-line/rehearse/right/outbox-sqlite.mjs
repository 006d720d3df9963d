import { sqliteEngine } from 'market-partner-sdk/durable';
import { join } from 'node:path';
import { openSqlite } from '../databases.mjs';
import { DurableShop, receive } from '../durable-shop.mjs';
import { onHono } from '../servers.mjs';

const database = openSqlite(join(process.argv[2], 'market.db'));
database.exec('create table if not exists refund (order_id text primary key)');

const shop = await new DurableShop(sqliteEngine(database), {
  add: (order_id) => database.prepare('insert or ignore into refund values (?)').run(order_id),
  has: (order_id) =>
    database.prepare('select 1 from refund where order_id = ?').get(order_id) !== undefined,
}).start();
onHono(shop, receive(shop));

// The inbox and the outbox of a Next.js program, for routes that end with their request: nothing is
// started, a cron route drains. `npm run migrate` has created the tables before.

import { MarketClient } from 'market-partner-sdk';
import { createEventInbox, createOrderOutbox } from 'market-partner-sdk/durable';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import pg from 'pg';
import { PgBoss } from 'pg-boss';

const setOrder = 'update sale set order_id = $1 where payment = $2';
const setPayBack = 'update sale set pay_back = $1 where payment = $2';
// The history may show an event late: it replaces neither a newer one nor a refund, which is the end.
const setProgress = `insert into progress values ($1, $2, $3) on conflict (order_id)
  do update set event = excluded.event, at = excluded.at
  where excluded.at >= progress.at and progress.event <> 'order.refunded'`;

let opened;

/** Not at load: `next build` loads the routes where no variable is set. One for each process. */
export function openMarket() {
  opened ??= open().catch((error) => {
    // The next request tries again.
    opened = undefined;
    throw error;
  });
  return opened;
}

async function open() {
  const connectionString = process.env.DATABASE_URL;
  const schema = process.env.PGBOSS_SCHEMA ?? 'pgboss';
  const pool = new pg.Pool({ connectionString, max: 4 });
  pool.on('error', (error) => console.error('pool', error));
  // Timers would end with the request: the cron route calls supervise().
  const quiet = { migrate: false, createSchema: false, supervise: false, schedule: false };
  const boss = new PgBoss({ connectionString, schema, max: 2, ...quiet });
  boss.on('error', (error) => console.error('pg-boss', error));
  await boss.start();

  const market = new MarketClient();
  const engine = pgBossEngine(boss, { pool, schema, migrate: false });
  const outbox = createOrderOutbox({
    market,
    engine,
    async onPlaced(order, { key }, { commit }) {
      await commit((client) => client.query(setOrder, [order.public_id, key]));
      console.log(`${key} is placed:`, order.domain);
    },
    async onRefused({ reason }, { key }, { commit }) {
      await commit((client) => client.query(setPayBack, [reason, key]));
      console.log(`${key} is refused:`, reason);
    },
    onAttention: ({ message }, { key }) => console.error('look at', key, message),
  });
  async function store({ type, created_at, data: { order } }, { commit }) {
    const values = [order.public_id, type, Date.parse(created_at)];
    await commit((client) => client.query(setProgress, values));
    console.log(`${type}:`, order.domain);
  }
  const inbox = createEventInbox({
    market,
    engine,
    // An event may come before onPlaced has stored its order: it waits.
    outbox,
    secret: process.env.MARKET_WEBHOOK_SECRET,
    startFrom: 'beginning',
    on: { 'order.transfer_completed': store, 'order.settled': store, 'order.refunded': store },
  });
  return { market, inbox, outbox, boss, pool };
}

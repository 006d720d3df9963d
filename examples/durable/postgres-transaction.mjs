// The payment and the intent to order in one transaction, on PostgreSQL: both are stored, or neither. What
// the shop writes about a verdict is in the transaction that marks the verdict reported.
//
//   npm install pg pg-boss
//   DATABASE_URL=postgres://postgres@127.0.0.1:5432/test node examples/durable/postgres-transaction.mjs
//
// It makes a schema of its own and drops it.

import { MarketClient } from 'market-partner-sdk';
import { createOrderOutbox } from 'market-partner-sdk/durable';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import { MarketEmulator } from 'market-partner-sdk/testing';
import pg from 'pg';
import { PgBoss } from 'pg-boss';

const connectionString = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';
const schema = `market_example_${process.pid}`;

const emulator = await MarketEmulator.start();
const { keyId, secret } = emulator.createCredential();
const market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });

const pool = new pg.Pool({ connectionString });
// Without a listener, a lost connection ends the process: an idle one, and one in a transaction.
pool.on('error', (error) => console.error('pool', error));
pool.on('connect', (client) => client.on('error', (error) => console.error('client', error)));
const boss = new PgBoss({ connectionString, schema });
boss.on('error', (error) => console.error('pg-boss', error));
await boss.start();
await pool.query(`create table ${schema}.payment (
  id text primary key, domain text not null, cents integer not null, order_id text, refund_reason text)`);

const outbox = createOrderOutbox({
  market,
  engine: pgBossEngine(boss, { pool, schema }),
  onPlaced: (order, { key }, { commit }) =>
    commit((client) =>
      client.query(`update ${schema}.payment set order_id = $1 where id = $2`, [
        order.public_id,
        key,
      ]),
    ),
  onRefused: ({ reason }, { key }, { commit }) =>
    commit((client) =>
      client.query(`update ${schema}.payment set refund_reason = $1 where id = $2`, [reason, key]),
    ),
  onAttention: ({ message }, { key }) => console.error('look at', key, message),
});

/** The buyer has paid: called by the page, or by the payment provider's webhook. */
async function recordPayment(id, domain, cents, { fails = false } = {}) {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(`insert into ${schema}.payment (id, domain, cents) values ($1, $2, $3)`, [
      id,
      domain,
      cents,
    ]);
    const order = { domain, expected_price: cents, currency: 'USD' };
    await outbox.add({ key: id, order }, { tx: client });
    if (fails) throw new Error('the shop ends here');
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

for (const domain of ['brew.example', 'coffee.example', 'tea.example']) {
  emulator.admin.list({ domain, price_cents: 86_000 });
}
await recordPayment('payment-1', 'brew.example', 86_000);
await recordPayment('payment-2', 'coffee.example', 1);
await recordPayment('payment-3', 'tea.example', 86_000, { fails: true }).catch((error) =>
  console.log('payment-3 is rolled back:', error.message),
);

// A program that stays calls `outbox.start()` instead.
const { placed, refused, left } = await outbox.drain({ maxMs: 30_000 });
console.log(`placed: ${placed}, refused: ${refused}, left: ${left}`);

const orders = await market.orders.list().toArray();
console.log('orders at the service:', orders.map(({ domain }) => domain).join(', '));
const { rows } = await pool.query(`select * from ${schema}.payment order by id`);
for (const { id, order_id: orderId, refund_reason: reason } of rows) {
  console.log(id, orderId === orders[0]?.public_id ? 'has its order' : `is paid back: ${reason}`);
}

await outbox.stop();
await pool.query(`drop schema ${schema} cascade`);
await boss.stop({ graceful: false });
await pool.end();
await market.close();
await emulator.stop();

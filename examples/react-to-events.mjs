// Reacts to events once each, and to all of them: webhooks bring them at once, the history brings
// those that were lost. With the emulator, one delivery comes twice and one never comes.
//
//   node examples/react-to-events.mjs

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createWebhookHandler } from 'market-partner-sdk/webhooks';
import { connect, portOf } from './connect.mjs';
import { note, row, step, title } from './print.mjs';

const { market, emulator, where, close } = await connect({ scopes: ['search', 'buy', 'webhook'] });
title('Reacting to events: webhooks and history together', where);

// Two things to keep in your database: which events are done, and how far the history was read.
const done = new Set();
let cursor;

if (emulator === undefined) {
  // Webhooks need an address that the service can reach: webhook-receiver.mjs.
  step('History', 'market.events.list({ after_id: cursor })');
  await readHistory({ limit: 200 });
} else {
  const received = await receiveWebhooks(market);

  step('A sale', 'two deliveries go wrong on the way');
  const { deliveries } = emulator.faults;
  deliveries.next('twice', { type: 'order.recorded' });
  deliveries.next('lost', { type: 'order.transfer_started' });
  const order = await market.orders.create({ domain: 'brew.example', expected_price: 250_000 });
  emulator.admin.startTransfer(order.public_id);
  emulator.admin.completeTransfer(order.public_id);
  await emulator.idle();

  step('What was sent', 'as the service saw it');
  for (const { type, outcome } of emulator.deliveries) row(type, outcome);

  step('History', 'market.events.list({ after_id: cursor }), every few minutes');
  await readHistory();

  step('Later', 'the settlement; the history goes on where it was left');
  emulator.admin.settle();
  await emulator.idle();
  await readHistory();
  received.close();
}
await close();
note(`Events handled: ${done.size}, each of them once.`);

/** Your own work. It is done for every event once, however it arrived. */
function handle(event, source) {
  row(event.type, `handled, from ${source}`);
}

/** Goes on after the last event that the history gave, and does what is not done yet. */
async function readHistory({ limit = Infinity } = {}) {
  let read = 0;
  for await (const event of market.events.list({ after_id: cursor, limit: 100 })) {
    if (done.has(event.id)) {
      row(event.type, 'done already');
    } else {
      handle(event, 'the history');
      done.add(event.id);
    }
    // Never moved by a webhook: one that arrives would skip one that was lost before it.
    cursor = event.id;
    read += 1;
    if (read >= limit) return;
  }
  if (read === 0) row('nothing new', '');
}

/** A server for deliveries, registered at the service. */
async function receiveWebhooks({ events }) {
  step('Webhooks', 'market.events.registerWebhook({ url, secret })');
  const secret = randomBytes(32).toString('hex');
  const take = (event) => handle(event, 'a webhook');
  const handler = createWebhookHandler({
    secret,
    on: {
      'order.recorded': take,
      'order.transfer_started': take,
      'order.transfer_completed': take,
      'order.settled': take,
    },
    // The same memory as the history's: a copy that comes later is answered 200 and not handled.
    deduplicate: done,
  });
  const server = createServer(handler.node).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  const { url, active } = await events.registerWebhook({
    url: `http://127.0.0.1:${port}/`,
    secret,
  });
  row(url, active ? 'active' : 'not active');
  return server;
}

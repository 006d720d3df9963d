// A server that receives webhooks: verifies each over its raw bytes, answers at once, works later.
//
//   node examples/webhook-receiver.mjs
//
// For the real service it takes three variables more, and replaces your registered endpoint:
//   MARKET_WEBHOOK_URL     where the service reaches this server, by a tunnel for instance
//   MARKET_WEBHOOK_SECRET  the signing secret that you choose
//   PORT                   the port to listen on

import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { createWebhookHandler } from 'market-partner-sdk/webhooks';
import { connect, portOf } from './connect.mjs';
import { note, row, step, title } from './print.mjs';

const { PORT = '0', MARKET_WEBHOOK_URL, MARKET_WEBHOOK_SECRET } = process.env;
const { market, emulator, where, close } = await connect({ scopes: ['buy', 'webhook'] });
title('Receiving webhooks', where);

const publicUrl = emulator === undefined ? MARKET_WEBHOOK_URL : undefined;
if (publicUrl !== undefined && !MARKET_WEBHOOK_SECRET) {
  throw new Error('MARKET_WEBHOOK_SECRET is missing: choose one, long and random');
}
const secret = MARKET_WEBHOOK_SECRET || randomBytes(32).toString('hex');

// Stands for your queue. The service waits five seconds for an answer: the work comes after it.
const queue = new EventEmitter();
queue.on('order', ({ type, data }) => {
  setImmediate(() => row('worked on', `${type} ${data.order.public_id}, ${data.order.status}`));
});

const enqueue = (event) => {
  row('verified', `${event.type} ${event.id}`);
  queue.emit('order', event);
};
const webhooks = createWebhookHandler({
  secret,
  on: {
    'order.recorded': enqueue,
    'order.transfer_started': enqueue,
    'order.transfer_completed': enqueue,
    'order.settled': enqueue,
    'order.refunded': enqueue,
  },
  onEvent: (event) => row('not handled', event.type),
  onError: (error, { status }) => row(`answered ${status}`, Object(error).reason ?? error),
  // In memory, for one process. Several use the durable inbox: examples/durable.
  deduplicate: true,
});

const server = createServer((request, response) => {
  if (request.url === '/webhooks/market') void webhooks.node(request, response);
  else response.writeHead(404).end();
}).listen(Number(PORT), '127.0.0.1');
await once(server, 'listening');
const local = `http://127.0.0.1:${portOf(server)}/webhooks/market`;

step('An unsigned delivery', 'without the secret, nothing gets in');
const body = '{"id":"evt_1","type":"order.settled","created_at":"2026-01-01T00:00:00Z","data":{}}';
await fetch(local, { method: 'POST', body });
await fetch(local, { method: 'POST', body, headers: { 'X-Market-Signature': 'f'.repeat(64) } });

if (emulator === undefined && publicUrl === undefined) {
  note('Set MARKET_WEBHOOK_URL, MARKET_WEBHOOK_SECRET and PORT to receive what the service sends.');
} else {
  step('Register', 'market.events.registerWebhook({ url, secret })');
  const { url, active } = await market.events.registerWebhook({ url: publicUrl ?? local, secret });
  row(url, active ? 'active' : 'not active');

  step('Deliveries', 'each is verified and answered, then worked on');
  if (emulator === undefined) await oneEvent();
  else await oneSale(emulator);
}

// Requests that are under way get their response.
server.close();
await once(server, 'close');
await close();
note('For Express, Fastify, Hono and Lambda: examples/webhooks/.');

/** An order from record to delivery. One of its deliveries comes twice, and is worked on once. */
async function oneSale(service) {
  service.faults.deliveries.next('twice', { type: 'order.transfer_started' });
  const order = await market.orders.create({ domain: 'brew.example', expected_price: 250_000 });
  service.admin.startTransfer(order.public_id);
  service.admin.completeTransfer(order.public_id);
  await service.idle();
  for (const { type, status } of service.deliveries) row('answered', `${status} to ${type}`);
}

/** The first that the service sends, for a minute at most. */
async function oneEvent() {
  row('waiting', 'a minute at most: place an order, with examples/quickstart.mjs for instance');
  const signal = AbortSignal.timeout(60_000);
  await once(queue, 'order', { signal }).catch(() => row('nothing came', ''));
}

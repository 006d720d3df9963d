// A relay into an engine of your own: the history goes page by page into your queue, and the checkpoint
// moves after your queue has the page. The queue here is a Map; in yours the event's id is unique, too.
//
//   node examples/durable/relay.mjs

import { MarketClient } from 'market-partner-sdk';
import { pollEvents } from 'market-partner-sdk/durable';
import { MarketEmulator } from 'market-partner-sdk/testing';

const emulator = await MarketEmulator.start();
const { keyId, secret } = emulator.createCredential();
const market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });

const queue = new Map();
const database = { checkpoint: undefined };
let isDown = false;

const relay = pollEvents({
  market,
  startFrom: 'beginning',
  checkpoint: {
    read: () => database.checkpoint,
    write: (checkpoint) => {
      database.checkpoint = checkpoint;
    },
  },
  enqueue: (events) => {
    if (isDown) throw new Error('the queue is down');
    for (const event of events) {
      // Pages overlap: an id that the queue knows is ignored.
      if (queue.has(event.id)) continue;
      queue.set(event.id, { orderingKey: event.data.order.public_id, event });
    }
  },
});

const publicId = await sell('brew.example');
emulator.admin.startTransfer(publicId);
await relay.poll();
console.log('in the queue:', queue.size);

isDown = true;
emulator.admin.completeTransfer(publicId);
await relay.poll().catch(({ message }) => console.log('the poll failed:', message));
console.log('in the queue:', queue.size);

isDown = false;
await sell('coffee.example');
await relay.poll();
for (const { orderingKey, event } of queue.values()) {
  console.log(orderingKey === publicId ? 'brew.example' : 'coffee.example', event.type);
}

await market.close();
await emulator.stop();

async function sell(domain) {
  emulator.admin.list({ domain, price_cents: 86_000 });
  const order = { domain, expected_price: 86_000, currency: 'USD' };
  return (await market.orders.create(order)).public_id;
}

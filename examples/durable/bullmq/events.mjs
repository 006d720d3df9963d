// The events of your orders on your own BullMQ: pollEvents fills the queue, a worker reads the order that an
// event is about and stores its status. Start as many as you like, on as many machines.
//
//   npm install market-partner-sdk bullmq ioredis
//   REDIS_URL=redis://127.0.0.1:6379 node examples/durable/bullmq/events.mjs

import { createServer } from 'node:http';
import { Queue, Worker } from 'bullmq';
import { isOrderProgress, MarketClient } from 'market-partner-sdk';
import { pollEvents } from 'market-partner-sdk/durable';
import { checkpoint, close, readStatus, replaceStatus } from './database.mjs';
import { connection, jobOptions, prefix, workerOptions } from './redis.mjs';

const market = new MarketClient();
const queue = new Queue('market-events', { connection, prefix });

const stop = new AbortController();
const relay = pollEvents({
  market,
  startFrom: 'beginning',
  checkpoint,
  secret: process.env.MARKET_WEBHOOK_SECRET,
  signal: stop.signal,
  poll: { everyMs: Number(process.env.POLL_MS ?? 60_000) },
  // The id of the job is the event's: a page that comes again adds nothing. BullMQ takes no ":" in it.
  enqueue: (events) =>
    queue.addBulk(
      events.map(({ id, type, data }) => ({
        name: type,
        data: { orderId: data.order?.public_id },
        opts: { ...jobOptions, jobId: `event-${encodeURIComponent(id)}` },
      })),
    ),
});

const worker = new Worker(
  'market-events',
  async ({ data: { orderId } }) => {
    // Events of brokerage cases have no order.
    if (orderId === undefined) return;
    // Jobs run in any order, and two of one order may run at once. So the event only says where to look:
    // what is stored is what the service shows now, and never an older status over a newer one.
    const stored = await readStatus(orderId);
    const { status } = await market.orders.get(orderId);
    if (!isOrderProgress(stored, status)) return;
    if (await replaceStatus(orderId, stored, status)) console.log('stored', orderId, status);
    else throw new Error(`another job has changed ${orderId} meanwhile`); // This one starts again.
  },
  workerOptions,
);
worker.on('error', (error) => console.error('worker', error.message));
worker.on('failed', (job, error) => {
  const isLast = job === undefined || job.attemptsMade >= (job.opts.attempts ?? 1);
  console.error(isLast ? 'CALL AN OPERATOR' : 'again', job?.id, error.message);
});

const running = relay.run();
const { HOST = '127.0.0.1', PORT = '3000' } = process.env;
const server = createServer(relay.handler.node).listen(PORT, HOST);
process.once('SIGTERM', async () => {
  stop.abort();
  server.close();
  await running;
  await worker.close();
  await queue.close();
  await close();
  await market.close();
});

// A worker that ends paid sales on your own BullMQ: orders.resume does the thinking, the queue repeats it.
// Start as many as you like, on as many machines. shop.mjs shows how a sale gets into the queue.
//
//   npm install market-partner-sdk bullmq
//   REDIS_URL=redis://127.0.0.1:6379 node examples/durable/bullmq/sales.mjs

import { UnrecoverableError, Worker } from 'bullmq';
import { MarketClient } from 'market-partner-sdk';
import { workerOptions } from './redis.mjs';

const market = new MarketClient();

const worker = new Worker(
  'market-sales',
  async ({ data: sale }) => {
    const result = await market.orders.resume(sale, { requote: 'at_most_paid' });
    const key = sale.idempotencyKey;
    switch (result.state) {
      case 'placed':
        // Your database: update sale set order_id = ... where payment_id = key. It may run twice.
        console.log(`placed ${key} ${result.order.public_id}`);
        return;
      case 'refused':
        // Pay the buyer back, with your provider's idempotency key: this may run twice, too.
        console.log(`refused ${key}`);
        return;
      case 'attention':
        // No repeat helps: the job fails at once, and an operator looks at it.
        throw new UnrecoverableError(`attention: ${JSON.stringify(result)}`);
      default:
        // 'open': the order may exist. BullMQ tries again, with its back-off.
        throw new Error(`still open: ${JSON.stringify(result)}`);
    }
  },
  workerOptions,
);
worker.on('error', (error) => console.error('worker', error.message));
worker.on('failed', (job, error) => {
  const isLast = job === undefined || job.attemptsMade >= (job.opts.attempts ?? 1);
  const level = isLast || error.name === 'UnrecoverableError' ? 'CALL AN OPERATOR' : 'again';
  console.error(level, job?.id, error.message);
});
process.once('SIGTERM', () => void worker.close().then(() => market.close()));

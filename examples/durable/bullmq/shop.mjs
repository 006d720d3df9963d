// What your shop does when a buyer has paid: the sale goes into the database with the payment, then into the
// queue. A job that reads your database for payments without an order calls the same function: it finds
// what a crash between the two left, and a job that is there already is not added twice.

import { Queue } from 'bullmq';
import { connection, jobOptions, prefix } from './redis.mjs';

export const sales = new Queue('market-sales', { connection, prefix });

/** @param {import('market-partner-sdk').SaleToResume} sale - as it is stored with the payment, unchanged */
export async function addSale(sale) {
  // The id of the job is the payment's. BullMQ takes no ":" in it.
  await sales.add('resume', sale, { ...jobOptions, jobId: `sale-${sale.idempotencyKey}` });
}

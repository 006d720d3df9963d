/** Stands for your database: what the webhook handler writes to. */

import type { EventOrder } from 'market-partner-sdk/webhooks';

const settled = new Map<string, EventOrder>();

/** Books a settled order. Booking it again changes nothing, because events come more than once. */
export async function bookSettlement(order: EventOrder): Promise<void> {
  settled.set(order.public_id, order);
  console.log(`settled ${order.public_id}`);
}

// What the worker of events.mjs stores. The statuses stand for your database, so that this example needs no other
// server: in SQL the last function is
// `update sale set status = $new where order_id = $id and status is not distinct from $stored`.
// The checkpoint belongs into the Redis of the queue: one that outlives the queue skips what Redis lost.

import { Redis } from 'ioredis';
import { connection, prefix } from './redis.mjs';

const database = new Redis(connection);
const statuses = `${prefix}:example-statuses`;
const place = `${prefix}:example-checkpoint`;

export const checkpoint = {
  read: async () => JSON.parse((await database.get(place)) ?? 'null') ?? undefined,
  write: (next) => database.set(place, JSON.stringify(next)),
};

export const readStatus = (orderId) => database.hget(statuses, orderId);

/** Whether the order still had the status `stored`, and has `status` now. */
export async function replaceStatus(orderId, stored, status) {
  const script = `if (redis.call('hget', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
    redis.call('hset', KEYS[1], ARGV[1], ARGV[3])
    return 1`;
  return (await database.eval(script, 1, statuses, orderId, stored ?? '', status)) === 1;
}

export const close = () => database.quit();

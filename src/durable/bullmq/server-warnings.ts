/** `warnOfServer`: settings of a Redis server that lose work. */

import type { RedisLike } from './bullmq.js';

/** Prints a line for each setting that loses work, as far as the server tells its settings. */
export async function warnOfServer(redis: RedisLike): Promise<void> {
  const info = await redis.info().catch(() => '');
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
  if (policy !== undefined && policy !== 'noeviction') {
    console.warn(
      `bullmqEngine: Redis evicts keys (maxmemory-policy ${policy}): stored events and orders vanish. Set it to noeviction.`,
    );
  }
  if (/^aof_enabled:0/m.test(info) && (await saves(redis)) === '') {
    console.warn(
      'bullmqEngine: Redis keeps nothing on disk: a restart loses every stored event and order. Set "appendonly yes".',
    );
  }
}

/** When Redis writes its memory to disk; hosted servers do not tell, and write as they please. */
async function saves(redis: RedisLike): Promise<string | undefined> {
  const reply = await redis.config('GET', 'save').catch(() => undefined);
  return Array.isArray(reply) ? String(reply[1]) : undefined;
}

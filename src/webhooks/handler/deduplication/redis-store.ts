/** redisStore: a deduplication store that several processes share, in Redis or a compatible server. */

import type { ClaimResult, DeduplicationStore } from './store.js';

/** 30 days. */
const defaultKeepMs = 30 * 24 * 60 * 60 * 1000;

/** One script, so that no other process acts between the reading and the writing. */
const claimScript = `
local value = redis.call('GET', KEYS[1])
if value == 'done' then return 'done' end
if value then return 'busy' end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 'claimed'`;

const hasScript = `if redis.call('GET', KEYS[1]) == 'done' then return 1 end return 0`;

const addScript = `return redis.call('SET', KEYS[1], 'done', 'PX', ARGV[1])`;

const releaseScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/** The part of a node-redis 5 client or cluster that is used. */
export interface NodeRedisLike {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** The part of an ioredis client or cluster that is used. */
export interface IoRedisLike {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Present in ioredis alone, which tells the two apart. */
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** The options of `redisStore`. */
export interface RedisStoreOptions {
  /** Put before each event's id. Default: `market-webhooks:`. */
  readonly prefix?: string | undefined;
  /** How long an event is remembered as done, in milliseconds. Default: 30 days. */
  readonly keepMs?: number | undefined;
}

/**
 * A deduplication store in Redis, for `deduplicate`: several processes that get copies of an event at
 * the same time run its listener once. It uses your connected client of node-redis 5 or ioredis, and
 * one key for each event.
 *
 * @throws {@link TypeError} or {@link RangeError} when the client has no `eval`, or an option is wrong
 * @example
 * ```ts
 * import { createWebhookHandler, redisStore, type NodeRedisLike } from 'market-partner-sdk/webhooks';
 *
 * // The client is await createClient({ url }).connect(), or new Redis(url) of ioredis.
 * export const createHandler = (client: NodeRedisLike) =>
 *   createWebhookHandler({ secret: 'whsec_public', deduplicate: redisStore(client) });
 * ```
 */
export function redisStore(
  client: NodeRedisLike | IoRedisLike,
  { prefix = 'market-webhooks:', keepMs = defaultKeepMs }: RedisStoreOptions = {},
): Required<DeduplicationStore> {
  if (typeof (client as Partial<NodeRedisLike> | undefined)?.eval !== 'function') {
    throw new TypeError('redisStore takes a client of node-redis or ioredis: it has no eval().');
  }
  if (typeof prefix !== 'string') throw new TypeError('"prefix" must be a string.');
  if (!Number.isSafeInteger(keepMs) || keepMs < 1) {
    throw new RangeError('"keepMs" must be a positive integer.');
  }
  // Tells the claims of this process from those of others.
  const owner = globalThis.crypto.randomUUID();
  const run = (script: string, eventId: string, ...args: string[]) =>
    isIoRedis(client)
      ? client.eval(script, 1, prefix + eventId, ...args)
      : client.eval(script, { keys: [prefix + eventId], arguments: args });

  return {
    claim: async (eventId, ttlMs) =>
      String(await run(claimScript, eventId, owner, String(ttlMs))) as ClaimResult,
    has: async (eventId) => Number(await run(hasScript, eventId)) === 1,
    add: (eventId) => run(addScript, eventId, String(keepMs)),
    release: (eventId) => run(releaseScript, eventId, owner),
  };
}

function isIoRedis(client: NodeRedisLike | IoRedisLike): client is IoRedisLike {
  return 'call' in client && typeof client.call === 'function';
}

/** Removes what a test left in a Redis that others use too. */

import { createRequire } from 'node:module';

const require = createRequire(new URL('../servers/package.json', import.meta.url));

/**
 * @param {string} url
 * @param {string} prefix - what every key of the test begins with
 */
export async function dropPrefix(url, prefix) {
  const { Redis } = require('ioredis');
  const redis = new Redis(url);
  for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1_000 })) {
    if (keys.length > 0) await redis.unlink(...keys);
  }
  await redis.quit();
}

/** The engine module of the crash tests on BullMQ. The store is a prefix of Redis keys. */

import { createRequire } from 'node:module';
import { bullmqEngine } from 'market-partner-sdk/durable/bullmq';
import { dropPrefix } from './redis-keys.mjs';

const require = createRequire(new URL('../servers/package.json', import.meta.url));
const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';

export default function openEngine(store) {
  const { Queue, Worker } = require('bullmq');
  return bullmqEngine({ Queue, Worker, connection: { url }, prefix: `{${store}}` });
}

export const createStore = () => Promise.resolve();

export const dropStore = (store) => dropPrefix(url, `{${store}}`);

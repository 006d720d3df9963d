import { engineChecks } from 'market-partner-sdk/durable/testing';
import { afterAll, beforeEach, describe, it, vi } from 'vitest';
import { bullmq, bullmqUnderTest } from '../support/bullmq-under-test.js';
import { findRedis } from '../support/redis-server.js';
import { redisUrl, skipReason } from '../support/servers.js';

const redis = await findRedis();
const { url } = redis ?? { url: redisUrl };
afterAll(() => redis?.stop());

const skipped = skipReason({
  'bullmq (npm run test:engines installs it)': bullmq === undefined,
  'Redis at REDIS_URL, nor the program redis-server': redis === undefined,
});

describe.skipIf(skipped !== undefined)(
  `bullmq${skipped === undefined ? '' : `, ${skipped}`}`,
  () => {
    // A Redis for tests keeps nothing on disk, which the engine warns of.
    beforeEach(() => void vi.spyOn(console, 'warn').mockReturnValue());

    const settings = { leaseMs: 1_000, takeoverMs: 3_000, backlog: 2_000 };
    for (const { name, run, timeoutMs } of engineChecks(() => bullmqUnderTest(url), settings)) {
      it(name, run, timeoutMs);
    }
  },
);

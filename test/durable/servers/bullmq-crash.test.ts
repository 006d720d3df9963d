import { randomBytes } from 'node:crypto';
import { crashTest } from 'market-partner-sdk/durable/testing';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { bullmq } from '../support/bullmq-under-test.js';
import { dropStore } from '../support/bullmq-module.mjs';
import { findRedis } from '../support/redis-server.js';
import { skipReason } from '../support/servers.js';

const redis = await findRedis();
afterAll(() => redis?.stop());

const skipped = skipReason({
  'bullmq (npm run test:engines installs it)': bullmq === undefined,
  'Redis at REDIS_URL, nor the program redis-server': redis === undefined,
});

const engineModule = 'test/durable/support/bullmq-module.mjs';

describe.skipIf(skipped !== undefined)(
  `killed -9 on bullmq, 50 times${skipped === undefined ? '' : `, ${skipped}`}`,
  () => {
    const sound = { lost: 0, kills: 50, crashes: 0 };

    it('the inbox loses no event, repeats none that is done, and keeps their order', async () => {
      const options = { engineModule, store: newStore(), kills: 50, seed: 5 };
      const report = await crashTest({ half: 'events', ...options });
      expect(report).toMatchObject({ ...sound, againAfterDone: 0, outOfOrder: 0, overlaps: 0 });
    }, 240_000);

    it('the outbox places no order twice, loses none, and is never wrong, though keys are forgotten', async () => {
      const options = { engineModule, store: newStore(), kills: 50, seed: 6 };
      const report = await crashTest({ half: 'orders', forgetsKeys: true, ...options });
      expect(report).toMatchObject({ ...sound, twice: 0, wrong: 0, changed: 0 });
    }, 240_000);
  },
);

/** A prefix of its own, dropped with the test. */
function newStore(): string {
  const store = `mp_${randomBytes(6).toString('hex')}`;
  onTestFinished(() => dropStore(store));
  return store;
}

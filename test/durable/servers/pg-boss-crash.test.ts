import { randomBytes } from 'node:crypto';
import { crashTest } from '../engine-kit/index.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pg, pgBoss } from '../support/pg-boss-under-test.js';
import { createStore, dropStore } from '../support/pg-boss-module.mjs';
import { isReachable, postgresUrl, skipReason } from '../support/servers.js';

const skipped = skipReason({
  'pg-boss (npm run test:engines installs it)': pg === undefined || pgBoss === undefined,
  'PostgreSQL at DATABASE_URL': !(await isReachable(postgresUrl)),
});

const engineModule = 'test/durable/support/pg-boss-module.mjs';

describe.skipIf(skipped !== undefined)(
  `killed -9 on pg-boss, 20 times${skipped === undefined ? '' : `, ${skipped}`}`,
  () => {
    const sound = { lost: 0, wrongEffects: 0, kills: 20, crashes: 0 };

    it('the inbox loses no event, repeats none that is done, and keeps their order', async () => {
      const options = { engineModule, store: await newStore(), kills: 20, seed: 3 };
      const report = await crashTest({ target: 'inbox', ...options });
      expect(report).toMatchObject({ ...sound, againAfterDone: 0, outOfOrder: 0, overlaps: 0 });
    }, 240_000);

    it('the outbox places no order twice, loses none, and is never wrong, though keys are forgotten', async () => {
      const options = { engineModule, store: await newStore(), kills: 20, seed: 4 };
      const report = await crashTest({ target: 'outbox', forgetsKeys: true, ...options });
      expect(report).toMatchObject({ ...sound, twice: 0, wrong: 0, changed: 0 });
    }, 240_000);
  },
);

/** A schema of its own, dropped with the test. */
async function newStore(): Promise<string> {
  const store = `mp_${randomBytes(6).toString('hex')}`;
  onTestFinished(() => dropStore(store));
  await createStore(store);
  return store;
}

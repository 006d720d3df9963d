import { randomBytes } from 'node:crypto';
import { crashControls, crashRings, crashTest, defectsOf } from '../engine-kit/index.js';
import { expect, it, type TestContext } from 'vitest';
import { describeOnPgBoss } from '../support/on-pg-boss.js';
import { createStore, dropStore } from '../support/pg-boss-module.mjs';

const engineModule = 'test/durable/support/pg-boss-module.mjs';
const kills = 10;

describeOnPgBoss('on pg-boss, nothing is lost, doubled, out of order or wrong in', () => {
  it.concurrent.for(Object.entries(crashRings(kills)))(
    '%s',
    { timeout: 240_000 },
    async ([, ring], test) => {
      const store = await newStore(test);
      const report = await crashTest({ ...ring, engineModule, store, seed: 3 });
      expect(report.kills).toBe(ring.kills);
      expect(defectsOf(report)).toEqual({});
    },
  );
});

describeOnPgBoss('the crash test on pg-boss finds that', () => {
  // The others do not depend on the engine: crash.test.ts has them, and the soak on both engines.
  const controls = Object.entries(crashControls('waitsForLocks')).filter(
    ([, { plantedFault }]) => plantedFault === 'waitsForLocks',
  );
  it.concurrent.for(controls)('%s', { timeout: 120_000 }, async ([, control], test) => {
    const store = await newStore(test);
    const report = await crashTest({ ...control, engineModule, store, seed: 4 });
    expect(report).toHaveProperty(
      control.shows,
      expect.toSatisfy((count: number) => count > 0),
    );
  });
});

/** A schema of its own, dropped with the test. */
async function newStore({ onTestFinished }: TestContext): Promise<string> {
  const store = `mp_${randomBytes(6).toString('hex')}`;
  onTestFinished(() => dropStore(store));
  await createStore(store);
  return store;
}

// npm run soak:durable: kills, freezes and misleads processes of inbox and outbox, and prints what came of it.
//
//   node test/durable/soak.mjs [--engine sqlite|pg] [--kills 300] [--seed 1]
//
// Without --engine: both, where `npm run test:engines` installed pg-boss. An engine takes about seven minutes
// with 300 kills. Two tests run at once: one of the inbox, one of the outbox.

import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { builtKit } from './engine-kit/built.mjs';

const { crashControls, crashRings, crashTest, defectsOf } = await import(await builtKit());

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    kills: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
  },
});
const engines = {
  sqlite: { module: 'sqlite-module.mjs', lockFault: 'blocksOnLock' },
  // PostgreSQL's clock says what is due: there a wrong clock loses something in some runs only.
  pg: { module: 'pg-boss-module.mjs', lockFault: 'waitsForLocks', unsure: 'trustsClocks' },
};
const chosen = values.engine === undefined ? Object.keys(engines) : [values.engine];
const unknown = chosen.find((name) => !Object.hasOwn(engines, name));
if (unknown !== undefined) throw new Error(`--engine must be sqlite or pg, not ${unknown}`);
const kills = Number(values.kills);
let seed = Number(values.seed);
if (!(kills >= 1) || !Number.isSafeInteger(seed)) throw new Error('--kills and --seed are numbers');

let isSound = true;
for (const engine of chosen) {
  const startedAt = performance.now();
  const { module, lockFault, unsure } = engines[engine];
  const engineModule = `test/durable/support/${module}`;
  const stores = await import(`./support/${module}`);
  const tests = [
    ...Object.entries(crashRings(kills)).map(([name, ring]) => ({ name, ring })),
    ...Object.entries(crashControls(lockFault))
      .filter(([, { plantedFault }]) => plantedFault !== unsure)
      .map(([name, ring]) => ({ name: `control: ${name}`, ring })),
  ];
  const rows = {};
  // Two at once: the processes wait more than they work.
  for (let at = 0; at < tests.length; at += 2) {
    const pair = tests.slice(at, at + 2).map(({ name, ring }) => ({ name, ring, seed: seed++ }));
    await Promise.all(
      pair.map(async ({ name, ring, seed: ofRing }) => {
        const report = await crashOnce(stores, { engineModule, ...ring, seed: ofRing });
        const defects = defectsOf(report);
        const isRight =
          ring.shows === undefined ? Object.keys(defects).length === 0 : report[ring.shows] > 0;
        rows[name] = { ...rowOf(report), seed: ofRing, found: wordsOf(defects), isRight };
        isSound &&= isRight;
      }),
    );
  }
  console.log(`${engine}: ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  console.table(rows);
}
console.log(isSound ? 'sound' : 'DEFECTS');
process.exitCode = isSound ? 0 : 1;

function rowOf({ events, intents, kills: done, repeated, attention }) {
  const ofHalf =
    intents === undefined ? { items: events, repeated } : { items: intents, attention };
  return { ...ofHalf, kills: done };
}

function wordsOf(defects) {
  return Object.entries(defects)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

/** A server's store has a name, and is dropped; a file's is the crash test's own. */
async function crashOnce({ createStore, dropStore }, options) {
  // Two sales come with each 100 ms of a schedule: more kills leave more to end.
  const settings = { patienceMs: 180_000 + kills * 2_000, ...options };
  if (createStore === undefined) return crashTest(settings);
  const store = `mp_${randomBytes(6).toString('hex')}`;
  try {
    await createStore(store);
    return await crashTest({ ...settings, store });
  } finally {
    await dropStore(store);
  }
}

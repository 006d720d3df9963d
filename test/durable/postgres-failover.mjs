// Stops PostgreSQL as a power cut does, five times, while processes of an inbox and an outbox work
// on it and are killed themselves. Prints what came of every event and order.
//
//   node test/durable/postgres-failover.mjs [stops=5]
//
// Needs the binaries of PostgreSQL, and `npm run test:engines` once.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtKit } from './engine-kit/built.mjs';
import { startCluster } from './support/postgres-cluster.mjs';

const { crashTest } = await import(await builtKit());

const engineModule = 'test/durable/support/pg-boss-module.mjs';
const stops = Number(process.argv[2] ?? 5);
/** A kill takes 0.3 s: the stops lie within the time of the kills. */
const kills = stops * 12;

const cluster = await startCluster();
process.env.DATABASE_URL = cluster.url;
// After DATABASE_URL is set: the module reads it when it is loaded.
const { createStore, dropStore } = await import('./support/pg-boss-module.mjs');
let isSound = true;
try {
  const halves = {
    events: { target: 'inbox' },
    orders: { target: 'outbox' },
    'orders, the service forgets every key': { target: 'outbox', forgetsKeys: true },
  };
  for (const [name, half] of Object.entries(halves)) {
    const store = `mp_${randomBytes(6).toString('hex')}`;
    await createStore(store);
    const [report, recoveries] = await Promise.all([
      crashTest({ engineModule, store, kills, patienceMs: 120_000, ...half }),
      stopAgainAndAgain(),
    ]);
    await dropStore(store);
    console.log(name, { ...report, stops: recoveries.length, recoveryMs: recoveries });
    const { lost, againAfterDone = 0, outOfOrder = 0, overlaps = 0, wrongEffects } = report;
    const { twice = 0, wrong = 0, changed = 0, crashes } = report;
    const defects = [
      lost,
      againAfterDone,
      outOfOrder,
      overlaps,
      wrongEffects,
      twice,
      wrong,
      changed,
      crashes,
    ];
    isSound &&= defects.every((count) => count === 0);
  }
} finally {
  await cluster.end();
}
console.log(isSound ? 'sound' : 'DEFECTS');
process.exitCode = isSound ? 0 : 1;

/** @returns how long each recovery took, in milliseconds. */
async function stopAgainAndAgain() {
  const recoveries = [];
  for (let stop = 0; stop < stops; stop += 1) {
    await sleep(2_000);
    await cluster.crash();
    const startedAt = performance.now();
    await cluster.start();
    recoveries.push(Math.round(performance.now() - startedAt));
  }
  return recoveries;
}

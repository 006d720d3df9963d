// npm run soak:durable: kills processes of inbox and outbox, and prints what came of it.
//
//   node test/durable/soak.mjs [kills=300] [engine module]
//
// With test/durable/support/pg-boss-module.mjs: PostgreSQL, after `npm run test:engines`.

import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtKit } from './engine-kit/built.mjs';

const { crashTest } = await import(await builtKit());

const [kills = '300', engineModule = 'test/durable/support/sqlite-module.mjs'] =
  process.argv.slice(2);

const runs = {
  events: { target: 'inbox' },
  orders: { target: 'outbox' },
  'orders, the service forgets every key': { target: 'outbox', forgetsKeys: true },
};
const control = { target: 'outbox', forgetsKeys: true, plantedFault: 'forgetsClaims' };

const { createStore, dropStore } = await import(pathToFileURL(resolve(engineModule)).href);

let isSound = true;
for (const [name, options] of Object.entries(runs)) {
  const report = await crashOnce(options);
  console.log(name, report);
  const { lost, againAfterDone = 0, outOfOrder = 0, overlaps = 0, wrongEffects } = report;
  const { twice = 0, wrong = 0, changed = 0, crashes } = report;
  const ofInbox = [lost, againAfterDone, outOfOrder, overlaps];
  const defects = [...ofInbox, wrongEffects, twice, wrong, changed, crashes];
  isSound &&= defects.every((count) => count === 0);
}
const broken = await crashOnce(control);
console.log('control: refusals believed', broken);
isSound &&= broken.wrong > 0;
console.log(isSound ? 'sound' : 'DEFECTS');
process.exitCode = isSound ? 0 : 1;

/** A server's store has a name, and is dropped; a file's is the crash test's own. */
async function crashOnce(options) {
  // pg-boss ends about 20 orders a second here, and 300 kills have 1,800.
  const patienceMs = 300_000;
  const settings = { engineModule, kills: Number(kills), patienceMs, ...options };
  if (createStore === undefined) return crashTest(settings);
  const store = `mp_${randomBytes(6).toString('hex')}`;
  try {
    await createStore(store);
    return await crashTest({ ...settings, store });
  } finally {
    await dropStore(store);
  }
}

// Stops PostgreSQL as a power cut does, five times, while processes of an inbox and an outbox work
// on it and are killed themselves. Prints what came of every event and order.
//
//   node test/durable/postgres-failover.mjs [stops=5]
//
// Needs the binaries of PostgreSQL, and `npm run test:engines` once.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, chownSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { crashTest } from 'market-partner-sdk/durable/testing';

const run = promisify(execFile);
const engineModule = 'test/durable/support/pg-boss-module.mjs';
const stops = Number(process.argv[2] ?? 5);
/** A kill takes 0.3 s: the stops lie within the time of the kills. */
const kills = stops * 12;

const cluster = await startCluster();
process.env.DATABASE_URL = `postgres://postgres@127.0.0.1:${cluster.port}/postgres`;
// After DATABASE_URL is set: the module reads it when it is loaded.
const { createStore, dropStore } = await import('./support/pg-boss-module.mjs');
let isSound = true;
try {
  const halves = {
    events: { half: 'events' },
    orders: { half: 'orders' },
    'orders, the service forgets every key': { half: 'orders', forgetsKeys: true },
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
    const { twice = 0, wrong = 0, changed = 0 } = report;
    const defects = [
      lost,
      againAfterDone,
      outOfOrder,
      overlaps,
      wrongEffects,
      twice,
      wrong,
      changed,
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

async function startCluster() {
  const folder = mkdtempSync(join(tmpdir(), 'market-postgres-'));
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const port = await freePort();
  const owner = await ownerOf(folder, data);
  const bin = binaries();
  const command = (name, ...args) => run(join(bin, name), args, owner);
  await command('initdb', '-D', data, '-U', 'postgres', '--auth=trust');
  const options = `-c port=${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder}`;
  const start = () =>
    command('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start');
  await start();
  return {
    port,
    start,
    crash: () => command('pg_ctl', '-D', data, '-m', 'immediate', 'stop'),
    end: async () => {
      await command('pg_ctl', '-D', data, '-m', 'immediate', 'stop').catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The server refuses to run as root: there it runs as the user that its package created. */
async function ownerOf(...folders) {
  if (process.getuid() !== 0) return {};
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'postgres'])).stdout)),
  );
  for (const folder of folders) chownSync(folder, uid, gid);
  return { uid, gid, cwd: folders[0] };
}

function binaries() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => b - a) : [];
  if (versions.length === 0)
    throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  return join(debian, versions[0], 'bin');
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

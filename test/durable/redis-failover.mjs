// Kills a Redis under a working inbox, cuts the end of its append-only file, and starts it again.
//
//   npm run build:quick && node test/durable/redis-failover.mjs [rounds=15] [events a round=150] [control]
//
// With `control` the checkpoint is written before the events, and nothing is read twice: it must lose some.
// A fail-over to a replica that lags behind loses the same: the newest writes. No event may be lost.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MarketClient } from 'market-partner-sdk';
import { createEventInbox } from 'market-partner-sdk/durable';
import { bullmqEngine } from 'market-partner-sdk/durable/bullmq';
import { sabotageEngine } from 'market-partner-sdk/durable/testing';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { freePort } from '../support/free-port.mjs';

const [rounds = '15', eventsOfRound = '150', mode] = process.argv.slice(2);
const isControl = mode === 'control';
const largestCut = 30_000;
const patienceMs = isControl ? 10_000 : 60_000;

const require = createRequire(new URL('servers/package.json', import.meta.url));
const { Queue, Worker } = require('bullmq');
const folder = mkdtempSync(join(tmpdir(), 'market-failover-'));
const port = await freePort();

let server = await startServer();
const emulator = await MarketEmulator.start();
const { keyId, secret } = emulator.createCredential();
const market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });

const starts = [];
const ends = new Map();
const handle = async ({ id }) => {
  starts.push({ id, ended: new Set(ends.keys()) });
  await sleep(1 + Math.random() * 8);
  if (Math.random() < 0.05) throw new Error('planted failure');
  ends.set(id, (ends.get(id) ?? 0) + 1);
};
const engine = bullmqEngine({ Queue, Worker, connection: { host: '127.0.0.1', port } });
const poll = { everyMs: 500, ...(isControl && { overlapMs: 0, overlapEvents: 0 }) };
const inbox = createEventInbox({
  ...{ market, startFrom: 'beginning', leaseMs: 1_000, poll },
  engine: isControl ? sabotageEngine(engine, 'checkpointFirst') : engine,
  retry: { maxAttempts: 1_000, baseMs: 20, maxMs: 100 },
  on: {
    'order.recorded': handle,
    'order.transfer_started': handle,
    'order.transfer_completed': handle,
  },
});
await inbox.start();

const orders = [];
let cutBytes = 0;
for (let round = 1; round <= Number(rounds); round += 1) {
  await sell(Math.ceil(Number(eventsOfRound) / 3));
  await sleep(Math.random() * 500);
  server.kill('SIGKILL');
  await once(server, 'exit');
  cutBytes += cutLog();
  server = await startServer();
}

const history = await market.events.list({ limit: 100 }).toArray();
const until = Date.now() + patienceMs;
while (Date.now() < until && history.some(({ id }) => !ends.has(id))) await sleep(100);
const report = {
  ...{ rounds: Number(rounds), cutBytes, events: history.length },
  lost: history.filter(({ id }) => !ends.has(id)).length,
  outOfOrder: countOutOfOrder(history),
  again: [...ends.values()].filter((count) => count > 1).length,
};
console.log(report);
await inbox.stop({ graceMs: 1_000 });
await market.close();
await emulator.stop();
server.kill('SIGKILL');
rmSync(folder, { recursive: true, force: true });
process.exit(report.lost + report.outOfOrder === 0 ? 0 : 1);

async function sell(count) {
  for (let index = 0; index < count; index += 1) {
    const domain = `failover-${orders.length}.example`;
    emulator.admin.list({ domain, price_cents: 100_000 });
    const { public_id } = await market.orders.create({ domain, expected_price: 100_000 });
    emulator.admin.startTransfer(public_id);
    emulator.admin.completeTransfer(public_id);
    orders.push(public_id);
    await sleep(10);
  }
}

/** Starts of an event before the one before it in its order had ended. */
function countOutOfOrder(events) {
  const previous = new Map();
  const lastOf = new Map();
  for (const { id, data } of events) {
    previous.set(id, lastOf.get(data.order.public_id));
    lastOf.set(data.order.public_id, id);
  }
  return starts.filter(({ id, ended }) => {
    const before = previous.get(id);
    return before !== undefined && !ended.has(before);
  }).length;
}

async function startServer() {
  const settings = ['--appendonly', 'yes', '--save', '', '--bind', '127.0.0.1'];
  const started = spawn('redis-server', ['--port', String(port), '--dir', folder, ...settings], {
    stdio: 'ignore',
  });
  await sleep(300);
  return started;
}

/**
 * What a power loss, or a replica that lags behind, loses: the end of the log. A replica never applies
 * half of a transaction. Redis 7.0 does, at its second start after a cut, unless the file is repaired.
 */
function cutLog() {
  const log = join(folder, 'appendonlydir');
  const file = join(
    log,
    readdirSync(log).find((name) => name.endsWith('.incr.aof')),
  );
  const { size } = statSync(file);
  truncateSync(file, Math.max(0, size - Math.floor(Math.random() * largestCut)));
  const manifest = join(log, 'appendonly.aof.manifest');
  execFileSync('redis-check-aof', ['--fix', manifest], { input: 'y\ny\n' });
  return size - statSync(file).size;
}

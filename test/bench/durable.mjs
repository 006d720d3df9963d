// Question: what does a durable engine cost? Jobs as the inbox stores them, with a listener that does nothing.

import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MarketClient } from 'market-partner-sdk';
import { createEventInbox } from 'market-partner-sdk/durable';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { engines } from './durable/engines.mjs';
import { worst } from './durable/worst.mjs';
import { table, whole } from './table.mjs';

const limits = { leaseMs: 30_000, keepDoneMs: 30 * 86_400_000 };
const pageSize = 100;
const jobCount = 5_000;
const orderCount = 500;
/** pg-boss needs 4 minutes for 100,000. */
const doneCounts = { 'pg-boss': 10_000 };
const doneCount = 100_000;
const blockedCount = 10_000;
const singleCount = 500;
const webhookCount = 300;
const body = JSON.stringify({ type: 'order.recorded', data: { padding: 'x'.repeat(400) } });

export async function durable() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-durable-'));
  try {
    const speeds = [];
    const backlogs = [];
    const webhooks = [];
    for (const [name, open] of Object.entries(engines(folder))) {
      const measure = async (question, ask) => {
        const { engine, close } = await open(question);
        try {
          return [name, ...(await ask(engine))];
        } finally {
          await close();
        }
      };
      try {
        speeds.push(await measure('speed', measureSpeed));
      } catch (error) {
        console.log(`\n${name}: skipped, ${error.message}`);
        continue;
      }
      webhooks.push(await measure('webhooks', measureWebhooks));
      const done = doneCounts[name] ?? doneCount;
      backlogs.push(await measure('backlog', (engine) => measureBacklog(engine, done)));
    }
    table(
      `${whole(jobCount)} events of ${orderCount} orders, 8 at once`,
      [
        ...['engine', 'enqueue, events/s', 'end to end, events/s', 'CPU us per event'],
        ...['put to handler p50 ms', 'p99 ms'],
      ],
      speeds,
    );
    table(
      `one event behind done ones and ${whole(blockedCount)} of a blocked order`,
      ['engine', 'done events', 'put to handler p50 ms', 'p99 ms'],
      backlogs,
    );
    table(
      `an inbox that is posted ${webhookCount} webhooks over HTTP, one at a time`,
      ['engine', 'webhook to handler p50 ms', 'p99 ms'],
      webhooks,
    );
    if (speeds.some(([name]) => name === 'pg-boss')) await worst();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureSpeed(engine) {
  const queue = await engine.open({ name: 'speed', ...limits });
  const jobs = jobsOf('e', jobCount, (index) => `order-${index % orderCount}`);
  const usedBefore = process.cpuUsage();
  const started = performance.now();
  await enqueueAll(queue, jobs);
  const enqueued = performance.now();
  const handled = await handleAll(queue);
  const ended = performance.now();
  const { user, system } = process.cpuUsage(usedBefore);
  if (handled !== jobCount) throw new Error(`${handled} events of ${jobCount}`);
  const latencies = await measureSingles(queue);
  await queue.close();
  return [
    whole((jobCount / (enqueued - started)) * 1_000),
    whole((jobCount / (ended - started)) * 1_000),
    whole((user + system) / jobCount),
    ...latencies,
  ];
}

async function measureBacklog(engine, done) {
  const queue = await engine.open({ name: 'backlog', ...limits });
  await enqueueAll(
    queue,
    jobsOf('done', done, (index) => `order-${index % orderCount}`),
  );
  await handleAll(queue);
  await enqueueAll(
    queue,
    jobsOf('blocked', blockedCount + 1, () => 'blocked'),
  );
  await handleAll(queue, () => ({ deadLetter: 'planted' }));
  const { waiting, dead } = await queue.counts();
  if (waiting !== blockedCount || dead !== 1) throw new Error(`${waiting} wait, ${dead} dead`);
  const latencies = await measureSingles(queue);
  await queue.close();
  return [whole(done), ...latencies];
}

/** One event at a time: from the call of enqueue until its listener starts. */
async function measureSingles(queue) {
  let onStart = () => undefined;
  const stop = new AbortController();
  const run = async () => {
    onStart();
    return { done: undefined };
  };
  const working = queue.work(run, { concurrency: 8, signal: stop.signal });
  const samples = [];
  for (const job of jobsOf('single', singleCount, (index) => `single-${index}`)) {
    const begun = new Promise((resolve) => (onStart = resolve));
    const put = performance.now();
    await queue.enqueue([job]);
    await begun;
    samples.push(performance.now() - put);
  }
  stop.abort();
  await working;
  return percentiles(samples);
}

/**
 * The whole way of an event: the emulator posts it, the inbox verifies it, reads the history up to it
 * and stores it, and a worker claims it.
 */
async function measureWebhooks(engine) {
  const secret = 'whsec_bench_secret';
  const emulator = await MarketEmulator.start();
  const { keyId, secret: signingSecret } = emulator.createCredential();
  const market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret: signingSecret });
  let onStart = () => undefined;
  const inbox = createEventInbox({
    market,
    secret,
    engine,
    startFrom: 'beginning',
    on: { 'order.recorded': (event) => onStart(event) },
  });
  await inbox.start();
  const server = createServer(inbox.node).listen(0, '127.0.0.1');
  await once(server, 'listening');
  emulator.admin.registerWebhook(`http://127.0.0.1:${server.address().port}/`, secret);

  const samples = [];
  for (let sent = 0; sent < webhookCount; sent += 1) {
    const begun = new Promise((resolve) => (onStart = resolve));
    const put = performance.now();
    const { id } = emulator.admin.emitEvent('order.recorded');
    const event = await begun;
    samples.push(performance.now() - put);
    if (event.id !== id) throw new Error(`${event.id} came, not ${id}`);
  }
  await emulator.idle();
  await inbox.stop();
  server.close();
  await market.close();
  await emulator.stop();
  return percentiles(samples);
}

function percentiles(samples) {
  samples.sort((a, b) => a - b);
  return [0.5, 0.99].map((part) => samples[Math.floor(part * samples.length)].toFixed(2));
}

async function enqueueAll(queue, jobs) {
  for (let at = 0; at < jobs.length; at += pageSize) {
    await queue.enqueue(jobs.slice(at, at + pageSize));
  }
}

async function handleAll(queue, resultOf = () => ({ done: undefined })) {
  let handled = 0;
  const run = async () => {
    handled += 1;
    return resultOf();
  };
  const { signal } = new AbortController();
  await queue.work(run, { concurrency: 8, signal, untilIdle: true });
  return handled;
}

function jobsOf(prefix, count, keyOf) {
  const createdAt = new Date().toISOString();
  return Array.from({ length: count }, (_, index) => ({
    id: `${prefix}-${index}`,
    orderingKey: keyOf(index),
    body,
    createdAt,
  }));
}

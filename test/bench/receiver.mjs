// Questions: what does it cost to receive a delivery over HTTP, and what do many of them leave behind?

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openUnfinished, send, signedRequests } from './receiver/senders.mjs';
import { servers } from './receiver/servers.mjs';
import { median } from './rounds.mjs';
import { table, times, whole } from './table.mjs';

const program = fileURLToPath(new URL('./receiver/process.mjs', import.meta.url));
const stripe = 'node:http + stripe constructEvent';
const deduplicating = 'createWebhookHandler, deduplicate';

/** More than the 10,000 ids that `deduplicate: true` keeps, so that no delivery is a repeat. */
const distinctEvents = 12_000;
const connections = 50;

export async function receiver() {
  const requests = signedRequests(distinctEvents);
  await costs(requests, { rounds: 11, warmups: 2 });
  await unfinished(400);
  await soak(requests, Number(process.env.BENCH_DELIVERIES ?? 1_000_000));
}

/** Rounds alternate between the receivers, so that a drift of the machine falls on all of them. */
async function costs(requests, { rounds, warmups }) {
  const names = Object.keys(servers);
  const receivers = await Promise.all(names.map(start));
  const samples = names.map(() => []);
  for (let round = -warmups; round < rounds; round += 1) {
    for (const turn of names.keys()) {
      const at = (turn + Math.abs(round)) % names.length;
      await receivers[at].usage();
      const seconds = await send(receivers[at].port, requests, connections);
      const { cpuMicros } = await receivers[at].usage();
      const sample = { rate: requests.length / seconds, cpu: cpuMicros / requests.length };
      if (round >= 0) samples[at].push(sample);
    }
  }
  for (const { stop } of receivers) stop();

  const rivals = samples[names.indexOf(stripe)];
  const ratio = (own, of) => times(median(own.map((sample, at) => of(sample, rivals[at]))));
  table(
    `receiving a delivery of 1.2 kB over HTTP, ${connections} senders`,
    ['receiver', 'per second', 'CPU us each', "rate to stripe's", "CPU to stripe's"],
    names.map((name, at) => [
      name,
      whole(median(samples[at].map(({ rate }) => rate))),
      median(samples[at].map(({ cpu }) => cpu)).toFixed(1),
      ratio(samples[at], (own, theirs) => own.rate / theirs.rate),
      ratio(samples[at], (own, theirs) => own.cpu / theirs.cpu),
    ]),
  );
}

/** What unsigned senders of 1 MiB cost that stop one byte before the end. */
async function unfinished(count) {
  const { port, usage, stop } = await start('createWebhookHandler');
  await send(port, signedRequests(2_000), connections);
  const idle = await usage({ collect: true });
  const { mostRssMb, answered, close } = await openUnfinished(port, count, 1_048_576, usage);
  close();
  stop();
  table(
    `${count} unsigned connections of 1 MiB that do not end`,
    ['answered', 'idle RSS MB', 'most RSS MB', 'growth MB'],
    [
      [
        whole(answered),
        idle.rssMb.toFixed(0),
        mostRssMb.toFixed(0),
        (mostRssMb - idle.rssMb).toFixed(0),
      ],
    ],
  );
}

/** Whether memory stays flat, with the store of `deduplicate: true` in use. */
async function soak(requests, total) {
  const { port, usage, stop } = await start(deduplicating);
  const rows = [];
  let sent = 0;
  const lap = Math.max(1, Math.floor(total / 4 / requests.length));
  const deliver = async (laps) => {
    for (let at = 0; at < laps; at += 1) await send(port, requests, connections);
    sent += laps * requests.length;
    const { rssMb, heapMb } = await usage({ collect: true });
    rows.push([whole(sent), heapMb.toFixed(1), rssMb.toFixed(0)]);
  };
  await deliver(1);
  while (sent < total) await deliver(lap);
  stop();
  table('memory after many deliveries', ['deliveries', 'heap MB', 'RSS MB'], rows);
}

async function start(name) {
  const child = fork(program, [name], { execArgv: ['--expose-gc'] });
  const next = () =>
    new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`${name}: its process ended`));
      child.once('disconnect', ended);
      child.once('message', (message) => {
        child.off('disconnect', ended);
        resolve(message);
      });
    });
  const { port } = await next();
  const usage = (request = {}) => {
    child.send(request);
    return next();
  };
  return { port, usage, stop: () => child.disconnect() };
}

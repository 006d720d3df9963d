/**
 * How many bytes each repetition of a way leaves in memory: one line of JSON for each way.
 *
 *   node --expose-gc --no-opt --no-sparkplug --no-maglev endurance.mjs [1/2, a share] [words of a way's name]
 */

import { clientWays } from './client-ways.mjs';
import { deliveryWays } from './delivery-ways.mjs';
import { pollWays } from './poll-ways.mjs';
import { streamWays } from './stream-ways.mjs';

const [share = '1/1', wanted = ''] = process.argv.slice(2);
const [part, parts] = share.split('/').map(Number);
const repetitions = 2_000;
/** A way of which one repetition takes more than a millisecond. */
const slowRepetitions = 800;
const slowWays = new Set([
  'by fetch',
  'closed by the service, TLS',
  'of a client of its own, closed after it',
]);
const atOnce = 32;
/** Caches, compiled code and what undici keeps for each of 64 sockets have reached their size after these. */
const warmUp = 3_000;
/** A slow way leaves no socket for the next repetition, or only those of `fetch`. */
const slowWarmUp = 1_500;

const ways = Object.entries({ ...clientWays, ...deliveryWays, ...pollWays, ...streamWays });

for (const [index, [name, prepare]] of ways.entries()) {
  if (index % parts !== part - 1 || !name.includes(wanted)) continue;
  const cleanUps = [];
  const startedAt = performance.now();
  const once = await prepare({ after: (cleanUp) => cleanUps.push(cleanUp) });
  const [before, times] = slowWays.has(name)
    ? [slowWarmUp, slowRepetitions]
    : [warmUp, repetitions];
  await repeat(once, before);
  const bytesBefore = await heapBytes();
  await repeat(once, times);
  const bytes = Math.round(((await heapBytes()) - bytesBefore) / times);
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  console.log(JSON.stringify({ name, bytes, ms: Math.round(performance.now() - startedAt) }));
}

async function repeat(once, times) {
  let left = times;
  const run = async () => {
    while (left-- > 0) await once();
  };
  await Promise.all(Array.from({ length: atOnce }, run));
}

/** After what still ends has ended: sockets close in later turns, and finalizers run after a collection. */
async function heapBytes() {
  for (let turn = 0; turn < 4; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 15));
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}

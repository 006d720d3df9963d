/**
 * How many bytes each repetition of a way leaves in memory: one line of JSON for each way.
 *
 *   node --expose-gc --no-opt test/faults/endurance/endurance.mjs client [repetitions] [words of a way's name]
 */

import { clientWays } from './client-ways.mjs';

const parts = { client: clientWays };
const [part, repetitions = '2000', wanted = ''] = process.argv.slice(2);
const atOnce = 32;
/** Caches, pools and compiled code have reached their size after these. */
const warmUp = 320;

for (const [name, prepare] of Object.entries(parts[part])) {
  if (!name.includes(wanted)) continue;
  const cleanUps = [];
  const startedAt = performance.now();
  const once = await prepare({ after: (cleanUp) => cleanUps.push(cleanUp) });
  await repeat(once, warmUp);
  const before = await heapBytes();
  await repeat(once, Number(repetitions));
  const bytes = Math.round(((await heapBytes()) - before) / Number(repetitions));
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

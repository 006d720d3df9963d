// Rounds that alternate between contenders, so that a drift of the machine falls on all of them, and
// the median of the ratios pair by pair. Every contender has a process of its own, as in a program
// that uses it: in a shared one each is slowed by what the others do to V8's caches and the heap.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./contender-process.mjs', import.meta.url));

/**
 * @param question - the file of contenders in `contenders/`, the first of which is ours.
 * @returns rows of `{ name, perSecond, cpuMicros, ratio }`; ratio is ours to theirs in rate.
 */
export async function alternate(
  question,
  { port = 0, count, atOnce = 1, rounds = 9, warmups = 2 },
) {
  const names = Object.keys((await import(`./contenders/${question}.mjs`)).contenders);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  const children = {};
  try {
    for (const name of names) {
      children[name] = fork(program, [question, name, port], { execArgv: [] });
      await answer(children[name], name);
    }
    for (let round = -warmups; round < rounds; round += 1) {
      // Each round starts with another contender: ours is not always measured before theirs.
      const shift = Math.abs(round) % names.length;
      for (const name of [...names.slice(shift), ...names.slice(0, shift)]) {
        children[name].send({ count, atOnce });
        const { seconds, cpuMicros } = await answer(children[name], name);
        if (round >= 0) samples[name].push({ perSecond: count / seconds, cpuMicros });
      }
    }
  } finally {
    for (const child of Object.values(children)) if (child.connected) child.disconnect();
  }
  const [ours] = names;
  return names.map((name) => ({
    name,
    perSecond: median(samples[name].map((sample) => sample.perSecond)),
    cpuMicros: median(samples[name].map((sample) => sample.cpuMicros)),
    ratio: median(samples[ours].map((own, at) => own.perSecond / samples[name][at].perSecond)),
  }));
}

function answer(child, name) {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error(`${name}: its process ended`));
    child.once('disconnect', ended);
    child.once('message', ({ failure, ...figures }) => {
      child.off('disconnect', ended);
      if (failure === undefined) resolve(figures);
      else reject(new Error(`${name}: ${failure}`));
    });
  });
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

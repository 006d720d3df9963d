// Rounds that alternate between contenders, so that a drift of the machine falls on all of them, and
// the median of the ratios pair by pair.

/**
 * @param contenders - `{ name: async (count) => void }`, the first of which is ours.
 * @returns rows of `{ name, perSecond, cpuMicros, ratio }`; ratio is ours to theirs in rate.
 */
export async function alternate(contenders, { rounds = 9, count, warmups = 2 }) {
  const names = Object.keys(contenders);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmups; round < rounds; round += 1) {
    // Each round starts with another contender: nobody always runs on a freshly collected heap.
    const shift = Math.abs(round) % names.length;
    const order = [...names.slice(shift), ...names.slice(0, shift)];
    for (const name of order) {
      globalThis.gc?.();
      const cpu = process.cpuUsage();
      const started = process.hrtime.bigint();
      await contenders[name](count);
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      const used = process.cpuUsage(cpu);
      if (round >= 0) {
        samples[name].push({
          perSecond: count / seconds,
          cpuMicros: (used.user + used.system) / count,
        });
      }
    }
  }
  const [ours] = names;
  return names.map((name) => ({
    name,
    perSecond: median(samples[name].map((sample) => sample.perSecond)),
    cpuMicros: median(samples[name].map((sample) => sample.cpuMicros)),
    ratio: median(samples[ours].map((own, at) => own.perSecond / samples[name][at].perSecond)),
  }));
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// Question: what does a call cost? `orders.get`, one at a time and 50 at once.

import { alternate } from './rounds.mjs';
import { table, times, whole } from './table.mjs';

export async function requests(port) {
  // Short rounds, and many: a shared machine's speed changes within seconds, and what is paired should
  // have met the same machine.
  for (const [title, atOnce, count] of [
    ['one at a time', 1, 400],
    ['50 at once', 50, 1_000],
  ]) {
    const rows = await alternate('requests', { port, count, atOnce, rounds: 101, warmups: 30 });
    table(
      `orders.get, ${title}`,
      ['contender', 'requests/s', 'client CPU us/request', 'ours to theirs'],
      rows.map((row) => [row.name, whole(row.perSecond), whole(row.cpuMicros), times(row.ratio)]),
    );
  }
}

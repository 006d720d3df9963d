// Question: what does a call cost? `orders.get`, one at a time and 50 at once.

import { alternate } from './rounds.mjs';
import { table, times, whole } from './table.mjs';

export async function requests(port) {
  for (const [title, atOnce, count] of [
    ['one at a time', 1, 1_500],
    ['50 at once', 50, 4_000],
  ]) {
    const rows = await alternate('requests', { port, count, atOnce, rounds: 25, warmups: 8 });
    table(
      `orders.get, ${title}`,
      ['contender', 'requests/s', 'client CPU us/request', 'ours to theirs'],
      rows.map((row) => [row.name, whole(row.perSecond), whole(row.cpuMicros), times(row.ratio)]),
    );
  }
}

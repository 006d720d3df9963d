// Question: what does a signature cost? One POST with a body of 200 bytes.

import { alternate } from './rounds.mjs';
import { table, times } from './table.mjs';

export async function signing() {
  const rows = await alternate('signing', { count: 10_000, rounds: 15 });
  table(
    'signing one POST with a body of 200 bytes',
    ['contender', 'us each', 'ours to theirs'],
    rows.map((row) => [row.name, (1e6 / row.perSecond).toFixed(1), times(row.ratio)]),
  );
}

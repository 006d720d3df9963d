// Question: what does it cost to verify and parse one webhook?

import { alternate } from './rounds.mjs';
import { table, times } from './table.mjs';

export async function webhooks() {
  const rows = await alternate('webhooks', { count: 10_000, rounds: 15 });
  table(
    'verifying and parsing one webhook',
    ['contender', 'us each', 'ours to theirs'],
    rows.map((row) => [row.name, (1e6 / row.perSecond).toFixed(1), times(row.ratio)]),
  );
}

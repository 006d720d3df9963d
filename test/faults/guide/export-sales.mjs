/** `node export-sales.mjs BOOKS`: the sales as JSON lines, for `market-partner-sdk reconcile`. */

import { readFile } from 'node:fs/promises';

const sales = JSON.parse(await readFile(process.argv[2], 'utf8'));
for (const [row, sale] of sales.entries()) {
  if (process.env.KILL_AT === `row ${row}`) process.kill(process.pid, 'SIGKILL');
  process.stdout.write(`${JSON.stringify(sale)}\n`);
  // What was written must be in the file before the process dies.
  await new Promise((resolve) => setImmediate(resolve));
}

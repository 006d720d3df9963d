// The --sell of a rehearsal of sqlite.mjs or postgres.mjs: the buyer takes a quote and pays, and the payment
// provider tells the program so until it says that it has the payment.
//
//   npx market-partner-sdk rehearse --sell 'node sell.mjs {domain} {payment}' --ask 'node ask.mjs {payment}'
//     --webhook http://localhost:3000/webhooks/market -- node sqlite.mjs

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [domain, payment] = process.argv.slice(2);
const { PORT = '3000' } = process.env;
const giveUpAt = Date.now() + 60_000;

async function post(path, body) {
  const headers = { 'content-type': 'application/json' };
  const options = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`http://localhost:${PORT}${path}`, options);
  if (!response.ok) throw new Error(`${path} got ${response.status}`);
  return response.json();
}

// A payment is for one quote, however often it is told: the first that was written stays.
const file = join(tmpdir(), `${payment}.quote`);

for (;;) {
  try {
    if (!existsSync(file)) {
      const { id } = await post('/quotes', { domain });
      if (!existsSync(file)) writeFileSync(file, id, { flag: 'wx' });
    }
    await post('/payments', { payment, quote_id: readFileSync(file, 'utf8') });
    break;
  } catch (error) {
    if (Date.now() > giveUpAt) throw error;
    await sleep(500);
  }
}

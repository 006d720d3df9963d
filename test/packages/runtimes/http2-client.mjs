// Places one order in each cell of the table, in the way that its first argument names, and prints what
// the client says of it: `node http2-client.mjs undici-8 '[{ "name": …, "path": …, "warm": true }]'`.

import { readFileSync } from 'node:fs';
import { MarketClient } from 'market-partner-sdk';

const [, , way, cells] = process.argv;
const ca = readFileSync(process.env.NODE_EXTRA_CA_CERTS);

const ways = {
  'undici-7': async () => undefined,
  'undici-7-h2': async () => agentOf('undici', { allowH2: true, connect: { ca } }),
  'undici-8': async () => agentOf('undici8', { connect: { ca } }),
  'undici-8-h1': async () => agentOf('undici8', { allowH2: false, connect: { ca } }),
  fetch: async () => undefined,
};

async function agentOf(name, options) {
  const { Agent } = await import(name);
  return new Agent(options);
}

for (const { name, path, warm } of JSON.parse(cells)) {
  const dispatcher = await ways[way]();
  const market = new MarketClient({
    baseUrl: `${process.env.PEER_URL}${path}`,
    keyId: 'mk_sandbox_of_the_table',
    secret: 'x'.repeat(32),
    random: () => 0,
    timeoutMs: 3_000,
    validateResponses: 'off',
    ...(dispatcher === undefined ? {} : { dispatcher }),
    ...(way === 'fetch' ? { fetch } : {}),
  });
  if (warm) await market.orders.get('ord_1');
  const order = { domain: 'brew.example', expected_price: 250_000, currency: 'USD' };
  const said = await market.orders
    .create(order, { idempotencyKey: name })
    .withResponse()
    .then(
      ({ response }) => ({ outcome: 'placed', attempts: response.attempts }),
      ({ name: error, outcome, attempts, message }) => ({ error, outcome, attempts, message }),
    );
  console.log(JSON.stringify({ name, ...said }));
  await market.close();
  await dispatcher?.destroy();
}
process.exit(0);

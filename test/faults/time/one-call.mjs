/** One order with a deadline of four seconds; prints how it ended. */

import { MarketClient } from 'market-partner-sdk';

const market = new MarketClient({
  baseUrl: process.argv[2],
  keyId: 'mk_sandbox_1f0c',
  secret: 'the-secret-of-these-tests',
  deadlineMs: 4_000,
});
try {
  await market.orders.create({ domain: 'brew.example', expected_price: 250_000, currency: 'USD' });
  console.log(JSON.stringify({ name: 'success' }));
} catch (error) {
  console.log(JSON.stringify(error));
}
await market.close();

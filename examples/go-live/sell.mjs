// A buyer who checks out and pays, and the payment provider, which tells the program so until it has the payment.
// Also the --sell of a rehearsal.
//
//   node --env-file=emulator.env sell.mjs espresso.example payment-1

import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const [domain, payment] = process.argv.slice(2);
const { PORT = '3000', PAYMENT_SECRET = '', SHOP_TOKEN } = process.env;
const giveUpAt = Date.now() + 60_000;

async function post(path, body, headers) {
  const response = await fetch(`http://127.0.0.1:${PORT}${path}`, {
    method: 'POST',
    body,
    headers,
  });
  if (!response.ok) throw new Error(`${path} got ${response.status}: ${await response.text()}`);
  return response.json();
}

for (;;) {
  try {
    const checkout = `checkout-${payment}`;
    const authorization = `Bearer ${SHOP_TOKEN}`;
    const quote = await post('/quotes', JSON.stringify({ checkout, domain }), { authorization });
    const { price: amount, currency } = quote;
    const paid = JSON.stringify({ payment, checkout, amount, currency });
    const signature = createHmac('sha256', PAYMENT_SECRET).update(paid).digest('hex');
    console.log(quote, await post('/payments', paid, { 'payment-signature': signature }));
    break;
  } catch (error) {
    if (Date.now() > giveUpAt) throw error;
    await sleep(500);
  }
}

// node pay.mjs <domain> <payment>: a buyer who checks out and pays, and the payment provider, which tells a worker so.

import { createHmac } from 'node:crypto';

const [domain, payment] = process.argv.slice(2);
const { PORT, PAYMENT_SECRET, SHOP_TOKEN } = process.env;

async function post(path, body, headers) {
  const response = await fetch(`http://127.0.0.1:${PORT}${path}`, {
    method: 'POST',
    body,
    headers,
  });
  if (!response.ok) throw new Error(`${path} got ${response.status}: ${await response.text()}`);
  return response.json();
}

const checkout = `checkout-${payment}`;
const authorization = `Bearer ${SHOP_TOKEN}`;
const quote = await post('/quotes', JSON.stringify({ checkout, domain }), { authorization });
const paid = JSON.stringify({ payment, checkout, amount: quote.price, currency: quote.currency });
const signature = createHmac('sha256', PAYMENT_SECRET).update(paid).digest('hex');
console.log(await post('/payments', paid, { 'payment-signature': signature }));

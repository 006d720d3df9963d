// node pay.mjs <payment> <domain> <cents>: a payment, as the shop's page would send it to its worker.

const [id, domain, cents] = process.argv.slice(2);
const response = await fetch(`http://127.0.0.1:${process.env.PORT}/payments`, {
  method: 'POST',
  body: JSON.stringify({ id, domain, cents: Number(cents) }),
});
console.log(response.status, await response.text());

// What the program believes of a payment: placed, refused (the buyer is paid back) or open. Also the --ask of a
// rehearsal.
//
//   node --env-file=emulator.env ask.mjs payment-1

const [payment] = process.argv.slice(2);
const { PORT = '3000', SHOP_TOKEN } = process.env;

const headers = { authorization: `Bearer ${SHOP_TOKEN}` };
const response = await fetch(`http://127.0.0.1:${PORT}/sales`, { headers });
const sale = (await response.json()).find((each) => each.payment === payment);
console.log(sale?.pay_back ? 'refused' : sale?.order_id ? 'placed' : 'open');

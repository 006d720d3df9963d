// The --ask of a rehearsal of sqlite.mjs or postgres.mjs: placed, refused (the buyer is paid back) or open.

const [payment] = process.argv.slice(2);
const { PORT = '3000' } = process.env;

const response = await fetch(`http://localhost:${PORT}/sales`);
const sale = (await response.json()).find((each) => each.payment === payment);
console.log(sale?.pay_back ? 'refused' : sale?.order_id ? 'placed' : 'open');

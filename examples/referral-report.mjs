// Writes the sales of the last ninety days that came through your tracking links as CSV.
// A page at a time: the report of a year takes no more memory than that of a day.
//
//   node examples/referral-report.mjs              prints it
//   node examples/referral-report.mjs sales.csv    writes it to the file

import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { connect } from './connect.mjs';
import { price, note, row, step, title } from './print.mjs';

const { market, emulator, where, close } = await connect({ scopes: ['search', 'refer', 'report'] });
const [path] = process.argv.slice(2);
title('A referral report as CSV', where);

if (emulator !== undefined) {
  step('Links', 'market.referral.createLink(input)');
  const generic = await market.referral.createLink({ type: 'generic' });
  const domain = await market.referral.createLink({ type: 'domain', domain: 'brew.example' });
  for (const { type, url } of [generic, domain]) row(type, url);
  recordVisits(emulator, [generic, domain]);
}

const range = { from: new Date(Date.now() - 90 * 86_400_000) };

step('Funnel', 'market.referral.getAnalytics(range)');
const funnel = await market.referral.getAnalytics(range);
row('clicks, checkouts, sales', [funnel.clicks, funnel.checkouts, funnel.sales].join(', '));
row('sold', price(funnel.gmv_cents, funnel.currency));

step('Commissions', 'market.referral.listCommissions(range)');
const ledger = await market.referral.listCommissions(range);
row('balance', price(ledger.runningBalance, funnel.currency));
const statusOfSale = new Map();
for await (const { sale_id, status } of ledger) statusOfSale.set(sale_id, status);

step(
  'Report',
  `market.referral.listSales(range).pages()${path === undefined ? '' : ` to ${path}`}`,
);
const out = path === undefined ? process.stdout : createWriteStream(path);
await pipeline(csv(), out, { end: path !== undefined });

await close();
note(path === undefined ? 'Give a file name, and it is written there.' : `${path} is written.`);

/** The lines, as pages of sales arrive. */
async function* csv() {
  const columns = ['sold_at', 'sale_id', 'domain', 'buyer', 'amount_cents', 'commission_cents'];
  yield line([...columns, 'currency', 'commission_status']);
  let done = 0;
  for await (const page of market.referral.listSales(range).pages()) {
    for (const sale of page.items) {
      const status = statusOfSale.get(sale.sale_id);
      yield line([...columns.map((name) => sale[name]), sale.currency, status]);
    }
    done += page.items.length;
    if (path !== undefined) row('written', `${done} sales`);
  }
}

/** RFC 4180: what has a comma, a quote or a line break is quoted, and lines end with CRLF. */
function line(values) {
  return `${values.map(field).join(',')}\r\n`;
}

function field(value) {
  let text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
  // A buyer may be called "=HYPERLINK(…)": a spreadsheet must not run it as a formula.
  if (typeof value === 'string' && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Visitors, with names that a report must survive. */
function recordVisits({ admin, clock }, [generic, domain]) {
  const names = ['Ada Example', 'Example, Ada', 'Ada "the buyer"', 'Ada\nExample', '=1+1'];
  for (let visit = 0; visit < 60; visit += 1) {
    const { link_id = '' } = visit % 3 === 0 ? domain : generic;
    admin.recordReferralClick(link_id);
    if (visit % 2 === 1) continue;
    clock.advance('1 minute');
    const buyer = names[(visit / 2) % names.length];
    const amount_cents = 100_000 + visit * 1_000;
    admin.recordReferralSale(link_id, { domain: `sold-${visit}.example`, amount_cents, buyer });
  }
}

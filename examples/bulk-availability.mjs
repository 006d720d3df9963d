// Asks for many domains, some at a time, and as fast as the service lets it: a 429 with Retry-After
// holds all of them for as long as it says. One bad name ends nothing. It only reads.
//
//   node examples/bulk-availability.mjs              120 names of its own
//   node examples/bulk-availability.mjs names.txt    one name on each line

import { readFile } from 'node:fs/promises';
import { MarketError } from 'market-partner-sdk';
import { fault } from 'market-partner-sdk/testing';
import { connect } from './connect.mjs';
import { price, note, progress, row, step, title } from './print.mjs';

const concurrency = 8;

const { market, emulator, where, close } = await connect({ scopes: ['search'], readsOnly: true });
const [path] = process.argv.slice(2);
const names = path === undefined ? ownNames() : await namesOf(path);
title(`Is it for sale? ${names.length} names`, where);

// A job that nobody waits for has more patience than a page: it waits out every Retry-After.
let heldUntil = 0;
const patient = market.withOptions({
  maxRetries: 10,
  deadlineMs: 10 * 60_000,
  logger: { warn: (_message, fields) => tellWait(fields) },
});

step('Ask', `patient.domains.checkMany(names, { concurrency: ${concurrency} })`);
const startedAt = performance.now();
const forSale = [];
const failed = [];
const results = patient.domains.checkMany(names, { concurrency, onProgress });
for await (const { domain, availability, error } of results) {
  if (availability?.available) forSale.push({ ...availability, domain });
  // What is wrong with one name comes with its result; what is no error of a call is a bug.
  if (error instanceof MarketError) failed.push({ domain, error });
  else if (error !== undefined) throw error;
}
const seconds = (performance.now() - startedAt) / 1000;

step('For sale', `${forSale.length} of ${names.length}, the cheapest first`);
forSale.sort((a, b) => (a.price_cents ?? 0) - (b.price_cents ?? 0));
for (const { domain, price_cents, currency } of forSale.slice(0, 5)) {
  row(domain, price(price_cents, currency));
}

step('No answer', `${failed.length} of ${names.length}`);
for (const { domain, error } of failed.slice(0, 5)) {
  row(domain, `${error.name}, outcome: ${error.outcome}`);
}

await close();
const waits = heldUntil > 0 ? 'with the waits that the service asked for' : 'without a wait';
note(`${names.length} names in ${seconds.toFixed(1)} s, ${waits}.`);

function onProgress({ done, total }) {
  progress(done, total, 'asked');
  // Halfway through, the service has enough for a moment.
  if (done === Math.floor(total / 2)) {
    const times = Math.ceil(total / 40);
    emulator?.faults.on('GET /availability', fault.rateLimited(1), { times });
  }
}

/** Once for each hold, though every worker waits. Back-off after a failure is not worth a line. */
function tellWait(fields) {
  const { delayMs, reason = 'rate_limited' } = fields;
  const now = performance.now();
  if (now < heldUntil || delayMs === undefined || reason !== 'rate_limited') return;
  heldUntil = now + delayMs;
  row('the service asks to wait', `${(delayMs / 1000).toFixed(1)} s`);
}

function ownNames() {
  const words = 'brew coffee roast travel voyage garden bloom music piano yoga'.split(' ');
  const endings = ['', 'club', 'shop', 'lab', '-shop', '-studio'];
  const names = words.flatMap((word) =>
    endings.flatMap((ending) => [`${word}${ending}.example`, `${word}${ending}.test`]),
  );
  return ['https://not-a-name.example/', ...names.slice(1)];
}

async function namesOf(file) {
  const lines = (await readFile(file, 'utf8')).split(/\r?\n/);
  return [...new Set(lines.map((each) => each.trim()).filter((each) => each !== ''))];
}

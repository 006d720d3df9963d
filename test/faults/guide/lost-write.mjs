/**
 * The shop's program of the refund guide (docs/orders.md) and of docs/other-products.md, line by line:
 * `node lost-write.mjs JOURNAL refund|case`. It may be started as often as it takes. `KILL_AT` names the line
 * before which it dies of SIGKILL; `REPEAT=accept` is manual review at 'attention'.
 */

import { readFile, rename, writeFile } from 'node:fs/promises';
import { MarketClient, MarketError } from 'market-partner-sdk';

const { KILL_AT: killAt, REPEAT: repeat = 'never', PUBLIC_ID: publicId } = process.env;
const [journal, kind] = process.argv.slice(2);

const market = new MarketClient({ sleep: () => Promise.resolve() });
const { input, send, resume } = {
  refund: {
    input: { public_id: publicId, reason: 'buyer withdrew' },
    send: (refund) => market.orders.refund(refund),
    resume: (begun) => market.orders.resumeRefund(begun, { repeat }),
  },
  case: {
    input: { domain: 'wanted.example', tier: 'managed', buyer_email: 'ada@buyer.example' },
    send: (opening) => market.brokerage.openCase(opening),
    resume: (begun) => market.brokerage.resumeCase(begun, { repeat }),
  },
}[kind];

line('read the journal');
const begun = await stored();
if (begun === undefined) await begin();
else if (begun.end === undefined || begun.end === 'open') await complete(begun);
else if (begun.end === 'attention' && repeat === 'accept') await complete(begun);
line('close');
await market.close();

async function begin() {
  line('store the request');
  const request = { input, startedAt: new Date().toISOString() };
  await store(request, 'commit the request');
  line('send');
  try {
    await send(input);
  } catch (error) {
    if (!(error instanceof MarketError) || error.outcome !== 'unknown') throw error;
    return complete(request);
  }
  line('store the end');
  await store({ ...request, end: 'done' }, 'commit the end');
}

async function complete(request) {
  line('resume');
  const { state } = await resume({ input: request.input, startedAt: request.startedAt });
  line('store the result');
  await store({ ...request, end: state }, 'commit the result');
}

async function stored() {
  const text = await readFile(journal, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

/** All of it or nothing, as a transaction of a database. */
async function store(request, commit) {
  await writeFile(`${journal}.new`, JSON.stringify(request), { flush: true });
  line(commit);
  await rename(`${journal}.new`, journal);
}

function line(name) {
  if (name === killAt) process.kill(process.pid, 'SIGKILL');
}

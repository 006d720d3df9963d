// Question: what does it cost to judge what a response proves about a sale?

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { table } from './table.mjs';

const folder = fileURLToPath(new URL('../../src/client/sale', import.meta.url));
const modules = ['absence-proof', 'compare-fields', 'compare-order'];
const [rounds, count] = [9, 50_000];

const sent = {
  domain: 'brew.example',
  expected_price: 250_000,
  currency: 'USD',
  external_payment_ref: 'payment-1001',
};
const order = {
  public_id: 'ord_1001',
  status: 'EXTERNALLY_PAID',
  created_at: '2026-11-21T08:00:00Z',
  sale_price_cents: 250_000,
  ...sent,
};
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': '31',
  date: 'Sat, 21 Nov 2026 08:00:00 GMT',
  'x-request-id': 'req_1001',
  'cache-control': 'no-store',
  'cf-cache-status': 'DYNAMIC',
  connection: 'keep-alive',
};

export async function proof() {
  const { AbsenceProof, compareOrder, findContradiction, isOtherDomain } = await load();
  const pageOf = (items) => ({
    items,
    body: { data: items, next_cursor: null },
    response: { status: 200, headers },
  });
  const judge = (page) => () => {
    const absence = new AbsenceProof('orders', ({ domain }) => isOtherDomain(domain, sent.domain));
    absence.add(page);
    if (absence.doubt !== undefined) throw new Error(absence.doubt);
  };
  const rows = Object.entries({
    'an empty list: is there no order?': judge(pageOf([])),
    'a list with one order': judge(pageOf([order])),
    'an order of a list: is it ours?': () => compareOrder(sent, order),
    'the response to POST /orders: is it ours?': () => findContradiction(sent, order),
  }).map(([name, check]) => [name, median(check).toFixed(2)]);
  table('a check of proof', ['what is judged', 'CPU us each'], rows);
}

/** The modules are not exported: they are bundled as the package has them. */
async function load() {
  const { outputFiles } = await build({
    stdin: {
      contents: modules.map((name) => `export * from './${name}.ts';`).join('\n'),
      resolveDir: folder,
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    write: false,
  });
  const temporary = await mkdtemp(join(tmpdir(), 'market-bench-'));
  try {
    const file = join(temporary, 'proof.mjs');
    await writeFile(file, outputFiles[0].text);
    return await import(pathToFileURL(file).href);
  } finally {
    await rm(temporary, { recursive: true });
  }
}

function median(check) {
  const times = Array.from({ length: rounds }, () => {
    // CPU time: a busy machine changes it less.
    const started = process.cpuUsage();
    for (let at = 0; at < count; at += 1) check();
    const { user, system } = process.cpuUsage(started);
    return (user + system) / count;
  });
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)];
}

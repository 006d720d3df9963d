// Question: how long until a fresh process has its first answer, and what does loading cost?

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median } from './rounds.mjs';
import { table, times } from './table.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));

const firstAnswer = {
  'market-partner-sdk': `
    import { MarketClient } from 'market-partner-sdk';
    const market = new MarketClient({ baseUrl: origin, keyId: 'mk_test_bench', secret: 'bench-secret' });
    const { public_id } = await market.orders.get('ord_1001');
    if (public_id !== 'ord_1001') process.exit(1);`,
  'stripe-node': `
    import Stripe from 'stripe';
    const stripe = new Stripe('sk_test_bench', { host: '127.0.0.1', port: new URL(origin).port, protocol: 'http', telemetry: false });
    const { public_id } = await stripe.paymentIntents.retrieve('pi_1001');
    if (public_id !== 'ord_1001') process.exit(1);`,
  'bare undici.request': `
    import { request } from 'undici';
    const { body } = await request(origin + '/api/partner/v1/orders/ord_1001');
    const { public_id } = await body.json();
    if (public_id !== 'ord_1001') process.exit(1);`,
};

const loading = {
  'market-partner-sdk/webhooks': "import 'market-partner-sdk/webhooks';",
  standardwebhooks: "import 'standardwebhooks';",
  'an empty process': '',
};

export function coldStart(port) {
  const prefix = `const origin = 'http://127.0.0.1:${port}';`;
  const answers = run(firstAnswer, prefix);
  const empty = median(run({ 'an empty process': '' }, '').get('an empty process'));
  table(
    'cold start: fresh process, import, construct, first answer (over an empty process)',
    ['contender', 'ms', 'ours to theirs, whole process'],
    rows(answers, empty),
  );
  const loads = run(loading, '');
  table(
    'loading ./webhooks (over an empty process)',
    ['contender', 'ms', 'ours to theirs, whole process'],
    rows(loads, median(loads.get('an empty process'))),
  );
}

function rows(samples, emptyMs) {
  const [ours] = samples.values();
  return [...samples].map(([name, own]) => [
    name,
    (median(own) - emptyMs).toFixed(1),
    times(median(ours.map((each, at) => each / own[at]))),
  ]);
}

/** Whole processes in alternating rounds, in milliseconds. */
function run(programs, prefix, rounds = 15) {
  const samples = new Map(Object.keys(programs).map((name) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, program] of Object.entries(programs)) {
      const source = `${prefix}${program}\nprocess.exit(0);`;
      const started = process.hrtime.bigint();
      const { status, stderr } = spawnSync(
        process.execPath,
        ['--input-type=module', '-e', source],
        { cwd: here, encoding: 'utf8' },
      );
      if (status !== 0) throw new Error(`${name}: ${stderr}`);
      if (round >= 0) samples.get(name).push(Number(process.hrtime.bigint() - started) / 1e6);
    }
  }
  return samples;
}

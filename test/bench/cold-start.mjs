// Question: how long until a fresh process has its first answer, and what does loading cost?
//
// A process tells the moment of its answer by the clock that all processes share: what it takes to
// end afterwards, where V8 waits for its compiler threads, is a column of its own.

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
  'an empty process': '',
};

const loading = {
  'market-partner-sdk/webhooks': "import 'market-partner-sdk/webhooks';",
  standardwebhooks: "import 'standardwebhooks';",
  'an empty process': '',
};

export function coldStart(port) {
  compare(
    'cold start: fresh process, import, construct, first answer',
    'first answer',
    run(firstAnswer, `const origin = 'http://127.0.0.1:${port}';`),
  );
  compare('loading ./webhooks in a fresh process', 'loaded', run(loading, ''));
}

function compare(question, reached, samples) {
  const [ours] = Object.values(samples);
  const empty = samples['an empty process'];
  const rows = Object.entries(samples).map(([name, own]) => {
    const ratioOf = (moment) => median(ours.map((each, at) => each[moment] / own[at][moment]));
    return [
      name,
      median(own.map((sample) => sample.reached)).toFixed(1),
      median(own.map((sample, at) => sample.reached - empty[at].reached)).toFixed(1),
      times(ratioOf('reached')),
      median(own.map((sample) => sample.ended)).toFixed(1),
      times(ratioOf('ended')),
    ];
  });
  table(
    question,
    [
      'contender',
      `ms until ${reached}`,
      'over an empty process',
      'ours to theirs',
      'ms until the process ended',
      'ours to theirs',
    ],
    rows,
  );
}

/** Whole processes in alternating rounds, in milliseconds since each was started. */
function run(programs, prefix, rounds = 31) {
  const samples = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, program] of Object.entries(programs)) {
      const source = `${prefix}${program}
        process.stdout.write(String(process.hrtime.bigint()));
        process.exit(0);`;
      const started = process.hrtime.bigint();
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['--input-type=module', '-e', source],
        { cwd: here, encoding: 'utf8' },
      );
      const ended = process.hrtime.bigint();
      if (status !== 0) throw new Error(`${name}: ${stderr}`);
      const since = (moment) => Number(moment - started) / 1e6;
      if (round >= 0) {
        samples[name].push({ reached: since(BigInt(stdout)), ended: since(ended) });
      }
    }
  }
  return samples;
}

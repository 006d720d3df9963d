// Question: how long until the first request of a function has its response, and what does loading
// cost? A program is a file with static imports, as a deployed function is: once as an ES module and
// once in CommonJS.
//
// A process tells the moment of its response by the clock that all processes share: what it takes to
// end afterwards, where V8 waits for its compiler threads, is a column of its own.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './rounds.mjs';
import { table, times } from './table.mjs';

/** Where the contenders are installed: a program in it finds them. */
const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * What a program imports, by name and as the default, and what it does until it has its response.
 * undici's agent signed by hand is the floor of every client that sends by undici.
 */
const firstResponse = {
  'market-partner-sdk': {
    imports: { MarketClient: 'market-partner-sdk' },
    run: `
      const market = new MarketClient({ baseUrl: origin, keyId: 'mk_test_bench', secret: 'bench-secret' });
      return (await market.orders.get('ord_1001')).public_id;`,
  },
  'stripe-node': {
    defaults: { Stripe: 'stripe' },
    run: `
      const stripe = new Stripe('sk_test_bench', { host: '127.0.0.1', port: new URL(origin).port, protocol: 'http', telemetry: false });
      return (await stripe.paymentIntents.retrieve('pi_1001')).public_id;`,
  },
  'bare undici.request': {
    imports: { request: 'undici' },
    run: `
      const { body } = await request(origin + '/api/partner/v1/orders/ord_1001');
      return (await body.json()).public_id;`,
  },
  "undici's agent, signed by hand": {
    defaults: { Agent: 'undici/lib/dispatcher/agent.js' },
    imports: { signByHand: '../../by-hand.cjs' },
    run: `
      const path = '/api/partner/v1/orders/ord_1001';
      const headers = signByHand({ method: 'GET', path, keyId: 'mk_test_bench', secret: 'bench-secret' });
      const chunks = [];
      const body = await new Promise((resolve, reject) => {
        new Agent().dispatch({ origin, path, method: 'GET', headers }, {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData: (_, chunk) => chunks.push(chunk),
          onResponseEnd: () => resolve(Buffer.concat(chunks).toString()),
          onResponseError: (_, error) => reject(error),
        });
      });
      return JSON.parse(body).public_id;`,
  },
  'an empty process': { run: "return 'ord_1001';" },
};

const loading = {
  'market-partner-sdk/webhooks': {
    imports: { verifyWebhook: 'market-partner-sdk/webhooks' },
    run: 'return typeof verifyWebhook;',
  },
  standardwebhooks: {
    imports: { Webhook: 'standardwebhooks' },
    run: 'return typeof Webhook;',
  },
  'an empty process': { run: "return 'function';" },
};

export function coldStart(port) {
  const origin = `http://127.0.0.1:${port}`;
  for (const format of ['ES module', 'CommonJS']) {
    compare(
      `cold start: a function's first request, ${format}`,
      'first response',
      run(firstResponse, format, { origin, expected: 'ord_1001' }),
    );
  }
  compare(
    'loading ./webhooks in a fresh process',
    'loaded',
    run(loading, 'ES module', { origin, expected: 'function' }),
  );
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
function run(programs, format, { origin, expected }, rounds = 31) {
  const folder = mkdtempSync(join(here, 'node_modules', '.cold-start-'));
  try {
    const files = Object.entries(programs).map(([name, program], index) => {
      const file = join(folder, `${index}.${format === 'CommonJS' ? 'cjs' : 'mjs'}`);
      writeFileSync(file, sourceOf(program, format, origin));
      return { name, file };
    });
    const samples = Object.fromEntries(files.map(({ name }) => [name, []]));
    for (let round = -1; round < rounds; round += 1) {
      for (const { name, file } of files) {
        const sample = timed(file, expected);
        if (round >= 0) samples[name].push(sample);
      }
    }
    return samples;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function sourceOf({ defaults = {}, imports = {}, run }, format, origin) {
  const isCommonJs = format === 'CommonJS';
  const lines = [
    ...Object.entries(defaults).map(([name, from]) =>
      isCommonJs ? `const ${name} = require('${from}');` : `import ${name} from '${from}';`,
    ),
    ...Object.entries(imports).map(([name, from]) =>
      isCommonJs ? `const { ${name} } = require('${from}');` : `import { ${name} } from '${from}';`,
    ),
  ];
  return `${lines.join('\n')}
    const origin = '${origin}';
    async function handler() {${run}}
    handler().then((result) => {
      process.stdout.write(result + ' ' + process.hrtime.bigint());
      process.exit(0);
    });`;
}

function timed(file, expected) {
  const started = process.hrtime.bigint();
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  const ended = process.hrtime.bigint();
  const [result, reached] = stdout.split(' ');
  if (status !== 0 || result !== expected) throw new Error(`${file}: ${result} ${stderr}`);
  const since = (moment) => Number(moment - started) / 1e6;
  return { reached: since(BigInt(reached)), ended: since(ended) };
}

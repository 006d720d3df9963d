// The packed package in workerd, the program that runs Cloudflare Workers, bundled as Wrangler does it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { freePort } from '../../support/free-port.mjs';
import { root, run } from '../packed-project.mjs';
import { workerd } from './installed.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));

/** What the guides promise of the bundles, minified, in kB. */
const maxKb = { worker: 230, receiver: 45 };

/** Wrangler's options for esbuild, with what it puts in the place of `require`. */
const bundling = [
  '--bundle',
  '--format=esm',
  '--platform=browser',
  '--target=es2024',
  '--conditions=workerd,worker,browser',
  '--external:node:*',
  '--banner:js=const require = (id) => process.getBuiltinModule(id);',
];

/** @param at - the folder of the project that has the package installed */
export function workerChecks(install, at, cells) {
  const bundle = (name, ...options) => {
    copyFileSync(join(here, `${name}.mjs`), join(at, `${name}.mjs`));
    const out = join(at, `${name}.bundle.mjs`);
    const esbuild = join(root, 'node_modules/.bin/esbuild');
    run(esbuild, [`${name}.mjs`, ...bundling, ...options, `--outfile=${out}`], at);
    return out;
  };
  const serve = (name, date, flags, task) =>
    withWorker({ program: install(workerd), bundle: bundle(name), date, flags }, task);
  const newest = () => /\d{4}-\d\d-\d\d/.exec(run(install(workerd), ['--version'], at))[0];

  const checks = {
    'size of the bundles for Workers': () =>
      Object.entries(maxKb)
        .map(([name, max]) => {
          const bytes = readFileSync(bundle(name, '--minify'));
          const kb = bytes.length / 1000;
          assert.ok(kb <= max, `${name} has ${kb} kB; the guides say at most ${max}`);
          return `${name} ${kb.toFixed(0)} kB, ${(gzipSync(bytes).length / 1000).toFixed(0)} kB gzipped`;
        })
        .join('; '),
  };
  for (const [title, date, flags] of [
    ['2025-09-01 with nodejs_compat', () => '2025-09-01', ['nodejs_compat']],
    ['2026-08-04', () => '2026-08-04', []],
    ['the newest date', newest, []],
  ]) {
    checks[`Workers, ${title}`] = async () => {
      await serve('worker', date(), flags, checkWorker);
      cells.set('Workers fetch', 'yes').set('Workers webhooks', 'yes');
      cells.set('Workers client', 'refused').set('Workers proxy', 'refused');
      return date();
    };
  }
  checks['Workers, 2025-09-01 without nodejs_compat'] = () =>
    serve('receiver', '2025-09-01', [], async (_emulator, get) => {
      const response = await get('');
      assert.equal(response.status, 500);
      assert.match(await response.text(), /compatibility flag nodejs_compat/);
    });
  return checks;
}

async function checkWorker(emulator, get) {
  const task = async (path) => {
    const response = await get(path);
    const result = await response.json();
    assert.equal(response.status, 200, result.threw);
    return result;
  };
  assert.deepEqual(await task('webhooks'), { verified: 'evt_1', statuses: [200, 401] });

  // After one that was answered, and beside one that is answered earlier: a timer ends with the request that
  // made it.
  const slow = (id, ms) => task(`slow?id=${id}&ms=${ms}`);
  const answered = { status: 200, reports: [] };
  const late = (id) => ({ status: 503, reports: [`onError of ${id}`, `signal of ${id}`] });
  assert.deepEqual(await slow('evt_a', 0), answered);
  assert.deepEqual(await slow('evt_b', 1_000), late('evt_b'));
  const beside = [slow('evt_c', 100), slow('evt_d', 1_000)];
  assert.deepEqual(await Promise.all(beside), [answered, late('evt_d')]);

  const { fault } = await import(join(root, 'dist/testing.js'));
  for (const [domain, kind] of [
    ['before.example', fault.resetBeforeWork()],
    ['after.example', fault.resetAfterWork()],
    ['body.example', fault.brokenBody()],
  ]) {
    emulator.admin.list({ domain, price_cents: 250_000 });
    emulator.faults.on('POST /orders', kind, { times: 1 });
    assert.deepEqual(await task(`order?domain=${domain}`), { attempts: 2, sameOrder: true });
  }

  const recorded = await fetch(`${new URL(emulator.baseUrl).origin}/_emulator/v1/orders`);
  assert.equal((await recorded.json()).length, 3);

  emulator.faults.on('GET /availability', fault.latency('2 seconds'), { times: 1 });
  const nobody = `http://127.0.0.1:${await freePort()}`;
  assert.deepEqual(await task(`errors?nobody=${nobody}`), {
    missing: [true, 'rejected'],
    late: ['TimeoutError', 'unknown'],
    aborted: ['AbortedError', 'not_sent'],
    // Workers say of a refused connection what they say of a lost one.
    offline: ['ConnectionError', 'unknown', 2],
  });

  const { without, proxy } = await task('refusals');
  assert.match(
    without.join(' '),
    /^ConfigurationError "fetch" is missing: .*MarketClient\(\{ fetch \}\)/,
  );
  assert.match(proxy.join(' '), /^ConfigurationError "proxy" cannot be used in Cloudflare Workers/);

  emulator.faults.on('GET /availability', fault.rateLimited(1), { times: 1 });
  const together = await Promise.all(Array.from({ length: 20 }, () => task('check')));
  assert.deepEqual(new Set(together), new Set([true]));
}

/** Runs a task against a Worker of its own, which sees an emulator of its own. */
async function withWorker({ program, bundle, date, flags }, task) {
  const { MarketEmulator } = await import(join(root, 'dist/testing.js'));
  const emulator = await MarketEmulator.start({ control: true });
  const { keyId, secret } = emulator.createCredential();
  const port = await freePort();
  const variables = {
    MARKET_BASE_URL: emulator.baseUrl,
    MARKET_KEY_ID: keyId,
    MARKET_SECRET: secret,
  };
  const bindings = Object.entries(variables).map(
    ([name, text]) => `( name = "${name}", text = "${text}" )`,
  );
  const config = bundle.replace(/\.bundle\.mjs$/, `.${date}.capnp`);
  // Without the service "internet", workerd reaches no address of this machine.
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    ( name = "main", worker = (
      modules = [( name = "worker", esModule = embed "${basename(bundle)}" )],
      compatibilityDate = "${date}",
      compatibilityFlags = ${JSON.stringify(flags)},
      bindings = [${bindings.join(', ')}] ) ),
    ( name = "internet", network = ( allow = ["private", "local"] ) ) ],
  sockets = [( name = "http", address = "127.0.0.1:${port}", http = (), service = "main" )] );
`,
  );
  const child = spawn(program, ['serve', config], { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
  try {
    const get = async (path) => {
      for (let turn = 0; ; turn += 1) {
        try {
          return await fetch(`http://127.0.0.1:${port}/${path}`);
        } catch (error) {
          // It listens only once it has loaded the Worker.
          if (turn === 100 || child.exitCode !== null)
            throw new Error(printed || String(error), { cause: error });
          await wait(100);
        }
      }
    };
    await task(emulator, get);
  } finally {
    child.kill();
    await emulator.stop();
  }
}

/**
 * Runs the examples of the heavy frameworks (NestJS, Next.js) as their users do: the packed package
 * in a fresh project, installed, built, started on loopback and sent deliveries. Needs a built
 * `dist`; everything else happens in a temporary folder that is removed.
 *
 *     node test/webhooks/frameworks/run.mjs [nest] [next]
 */

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../support/free-port.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const secret = 'whsec_frameworks';

/** How each project is started, without a shell or npm between, so that it can be ended. */
const projects = {
  nest: () => ['dist/main.js'],
  next: (port) => ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', port],
};

const chosen = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'frameworks-'));
try {
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
    {
      cwd: root,
    },
  );
  const tarball = join(folder, filenameOf(JSON.parse(stdout)));
  for (const [name, start] of Object.entries(projects)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    const project = await install(name, tarball);
    await check(name, project, start);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** npm 12 gives an object where those before gave a list. */
function filenameOf(packed) {
  const [entry] = Array.isArray(packed) ? packed : Object.values(packed);
  return entry.filename;
}

async function install(name, tarball) {
  const project = join(folder, name);
  await cp(join(root, 'examples/webhooks', name), project, {
    recursive: true,
    filter: (path) => !/[\\/](node_modules|dist|\.next)$/.test(path),
  });
  const file = join(project, 'package.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  manifest.dependencies['market-partner-sdk'] = `file:${tarball}`;
  await writeFile(file, JSON.stringify(manifest));
  const options = { cwd: project, timeout: 300_000, env: environment() };
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], options);
  await run('npm', ['run', 'build'], options);
  return project;
}

async function check(name, project, start) {
  const port = await freePort();
  const server = spawn(process.execPath, start(String(port)), {
    cwd: project,
    env: { ...environment(), PORT: String(port), MARKET_WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (text) => (output += text));
  }
  const ended = new Promise((resolve) => server.once('exit', resolve));
  try {
    const url = `http://127.0.0.1:${port}/webhooks/market`;
    await untilUp(url, server);
    const body = eventJson('Zoë ☕');

    assert.equal(await deliver(url, body, signed(body)), 200, 'a signed delivery');
    assert.equal(await deliver(url, body, signed(body)), 200, 'a repeated delivery');
    const pretty = `${JSON.stringify(JSON.parse(body), null, 2)}\n`;
    assert.equal(await deliver(url, pretty, signed(pretty)), 200, 'a pretty printed delivery');
    assert.equal(output.match(/settled ord_1/g)?.length, 1, 'handled once');

    assert.equal(await deliver(url, body, signed(`${body} `)), 401, 'a forged delivery');
    assert.equal(await deliver(url, body), 401, 'a delivery without a signature');
    const large = eventJson('x'.repeat(2 * 1024 * 1024));
    assert.equal(await deliver(url, large, signed(large)), 413, 'an oversized delivery');
    assert.equal((await fetch(url)).status, 405, 'a GET');
    console.log(`${name}: signed, repeated, forged, unsigned and oversized deliveries answered`);
  } catch (error) {
    console.error(output);
    throw error;
  } finally {
    server.kill();
    await ended;
  }
}

async function untilUp(url, server) {
  for (let attempt = 0; attempt < 150; attempt += 1) {
    assert.equal(server.exitCode, null, 'the server has ended');
    try {
      await (await fetch(url)).text();
      return;
    } catch {
      await sleep(200);
    }
  }
  throw new Error('the server does not answer');
}

async function deliver(url, body, signature) {
  const headers = { 'content-type': 'application/json' };
  if (signature !== undefined) headers['x-market-signature'] = signature;
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.text();
  return response.status;
}

function signed(body) {
  return createHmac('sha256', secret).update(body).digest('hex');
}

function eventJson(note) {
  const order = {
    public_id: 'ord_1',
    domain: 'brew.example',
    status: 'SETTLED',
    sale_price_cents: 250_000,
    currency: 'USD',
  };
  return JSON.stringify({
    id: 'evt_1',
    type: 'order.settled',
    created_at: '2026-11-21T08:00:00Z',
    data: { order, note },
  });
}

function environment() {
  return { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: undefined };
}

// The Dockerfile of docs/testing.md, its commands run as processes: RUN with the packed tarball in an empty
// folder, then CMD, a wait as Testcontainers has it, and a signed request.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../support/free-port.mjs';
import { root, run } from './packed-project.mjs';

export async function checkContainer(tarball, folder) {
  const page = readFileSync(join(root, 'docs/testing.md'), 'utf8');
  const [, text] = /^```dockerfile\n([^]*?)^```$/m.exec(page);
  const lines = text.trim().split('\n');
  const argumentOf = (word) =>
    lines.find((line) => line.startsWith(`${word} `)).slice(word.length + 1);
  const inFolder = (argument) => argument.replace('/emulator', folder);

  mkdirSync(folder);
  const [npm, ...install] = argumentOf('RUN').split(' ').map(inFolder);
  assert.equal(install.at(-1), 'market-partner-sdk');
  run(npm, [...install.with(-1, tarball), '--no-audit', '--no-fund'], folder);

  const [program, ...args] = JSON.parse(argumentOf('CMD'));
  assert.ok(existsSync(inFolder(program)), `${program} is not installed`);
  assert.equal(argumentOf('EXPOSE'), '4010', 'the port of the command');
  const port = await freePort();
  // No test listens beyond loopback, nor on a fixed port.
  const local = args.map((argument) => argument.replace('0.0.0.0', '127.0.0.1'));
  const child = spawn(inFolder(program), [...local, '--port', String(port)], { stdio: 'pipe' });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
  try {
    const baseUrl = `http://127.0.0.1:${port}`;
    await untilHealthy(`${baseUrl}/_emulator/health`, child);
    assert.match(printed, /The emulator listens/);
    const [, keyId, secret] = /The key id is `(\w+)` and the secret\s`(\w+)`/.exec(page);
    const { MarketClient } = await import(join(root, 'dist/index.js'));
    const market = new MarketClient({ baseUrl, keyId, secret });
    const sale = { domain: 'brew.example', expected_price: 250_000, currency: 'USD' };
    assert.equal((await market.orders.create(sale)).domain, 'brew.example');
    await market.close();
    const state = async (headers) =>
      (await fetch(`${baseUrl}/_emulator/v1/orders`, { headers })).status;
    assert.equal(await state({}), 401);
    assert.equal(await state({ authorization: 'Bearer for-tests' }), 200);
    child.kill(argumentOf('STOPSIGNAL'));
    const [code] = await once(child, 'exit', { signal: AbortSignal.timeout(10_000) });
    assert.equal(code, 0, 'the exit code after STOPSIGNAL');
  } catch (error) {
    throw new Error(`${error.message}\n${printed}`, { cause: error });
  } finally {
    child.kill('SIGKILL');
  }
}

async function untilHealthy(url, child) {
  for (let turn = 0; ; turn += 1) {
    try {
      if ((await fetch(url)).status === 200) return;
    } catch (error) {
      if (turn === 200 || child.exitCode !== null) throw error;
    }
    await wait(50);
  }
}

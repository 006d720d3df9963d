/** An emulator in a test does not hold the process; a command does. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const dist = new URL('../../dist/', import.meta.url);

/** Runs a module to its end, which is not waited for longer than that of a test. */
async function run(code: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'pipe' });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => (out += text.toString()));
  }
  const [exitCode] = (await once(child, 'close')) as [number];
  return { exitCode, out };
}

const started = `
  import { fault, MarketEmulator } from ${JSON.stringify(new URL('testing.js', dist).href)};
  import { MarketClient } from ${JSON.stringify(new URL('index.js', dist).href)};
  const emulator = await MarketEmulator.start({ control: true });
  const { keyId, secret } = emulator.createCredential();
  const market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });
  console.log((await market.domains.search('brew')).length > 0);
  const stream = await fetch(emulator.baseUrl + '/_emulator/v1/stream').then(({ body }) => body.cancel());
`;

it('a program that ends without stop() ends, with the connections of its clients open', async () => {
  expect(await run(started)).toEqual({ exitCode: 0, out: 'true\n' });
});

it('a node:test file that fails before stop() ends', async () => {
  const { exitCode, out } = await run(`
    import { test } from 'node:test';
    test('fails', async () => { ${started.replace(/import .*\n/g, '')} throw new Error('early'); });
    ${/import [^]*?(?=\n {2}const)/.exec(started)![0]}
  `);
  expect(out).toContain('early');
  expect(exitCode).toBe(1);
});

it('stop() and a response that is late are waited for', async () => {
  const { exitCode, out } = await run(`${started}
    emulator.faults.next(fault.latency('300 milliseconds'));
    console.log((await market.domains.search('brew')).length > 0);
    await market.close();
    await emulator.stop();
    console.log('stopped');
  `);
  expect([exitCode, out]).toEqual([0, 'true\ntrue\nstopped\n']);
});

it('the command runs until it is stopped', async () => {
  const bin = fileURLToPath(new URL('bin.cjs', dist));
  const child = spawn(process.execPath, [bin, 'emulator', '--port', '0'], { stdio: 'pipe' });
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  const origin = /MARKET_BASE_URL=(\S+)/.exec(first.toString())![1]!;
  // With no connection open, and after one.
  for (let call = 0; call < 2; call += 1) {
    expect((await fetch(`${origin}/_emulator/health`)).status).toBe(200);
  }
  child.kill();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

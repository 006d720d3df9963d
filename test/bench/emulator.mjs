// Question: what does the emulator cost a test suite? Start, requests, memory over 100,000 of them.
// It runs in a process of its own, so that the client's work is not counted.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { signByHand } from './by-hand.cjs';
import { table, whole } from './table.mjs';

const calls = {
  'GET /pricing': { path: '/api/partner/v1/pricing', query: 'domain=coffee.example' },
  'GET /availability': { path: '/api/partner/v1/availability', query: 'domain=coffee.example' },
  'GET /domains/search': { path: '/api/partner/v1/domains/search', query: 'q=coffee%20shop' },
};

export async function emulator() {
  const child = fork(fileURLToPath(new URL('./emulator-process.mjs', import.meta.url)), {
    execArgv: ['--expose-gc'],
  });
  const ask = (question) =>
    new Promise((resolve) => {
      child.once('message', resolve);
      if (question !== undefined) child.send(question);
    });
  const { baseUrl, keyId, secret, startMs } = await ask();
  const agent = new Agent({ connections: 20 });
  const send = async ({ path, query }) => {
    const headers = signByHand({ method: 'GET', path, query, keyId, secret });
    const { statusCode, body } = await request(`${baseUrl}${path}?${query}`, {
      dispatcher: agent,
      headers,
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`status ${statusCode}`);
  };
  const many = async (call, count) => {
    let left = count;
    const worker = async () => {
      for (; left > 0; left -= 1) await send(call);
    };
    await Promise.all(Array.from({ length: 20 }, worker));
  };

  const rows = [];
  for (const [name, call] of Object.entries(calls)) {
    await many(call, 3_000);
    const before = await ask('cpu');
    await many(call, 10_000);
    const micros = ((await ask('cpu')) - before) / 10_000;
    rows.push([name, whole(micros), whole(1e6 / micros)]);
  }
  table(
    `the emulator over HTTP (its start took ${startMs.toFixed(1)} ms)`,
    ['call', 'CPU us/request', 'requests/s on one core'],
    rows,
  );

  const heaps = [];
  for (let sent = 0; sent < 100_000; sent += 25_000) {
    await many(calls['GET /pricing'], 25_000);
    heaps.push(await ask('heap'));
  }
  table(
    'the emulator over 100,000 requests more',
    ['after', 'heap MB'],
    heaps.map((heap, at) => [whole((at + 1) * 25_000), heap.toFixed(1)]),
  );
  child.disconnect();
  await agent.close();
}

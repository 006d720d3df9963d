// Question: does a fleet find a limit that it shares? Eight processes with one credential check 40 names each, at three
// kinds of limits. A process waits from its start to its last result.

import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { table } from './table.mjs';

const processes = 8;
const names = 40;
const program = fileURLToPath(new URL('fleet-process.mjs', import.meta.url));

/** Each returns after how many seconds a request may come back, `0` if it is served. */
const limits = {
  'a bucket of 10 a second': () => {
    let [tokens, filledAt] = [10, performance.now()];
    return () => {
      const now = performance.now();
      tokens = Math.min(10, tokens + (now - filledAt) / 100);
      filledAt = now;
      if (tokens < 1) return 1;
      tokens -= 1;
      return 0;
    };
  },
  'a window of 20 in 5 seconds': () => windowOf(20, 5_000),
  'a window of 60 a minute': () => windowOf(60, 60_000),
};

function windowOf(size, ms) {
  const startedAt = performance.now();
  let [current, used] = [0, 0];
  return () => {
    const sinceMs = performance.now() - startedAt;
    const index = Math.floor(sinceMs / ms);
    if (index !== current) [current, used] = [index, 0];
    used += 1;
    return used <= size ? 0 : Math.ceil(((index + 1) * ms - sinceMs) / 1_000);
  };
}

const contenders = ['market-partner-sdk', '@discordjs/rest', 'openai'];

export async function fleet() {
  for (const [title, makeLimit] of Object.entries(limits)) {
    const rows = [];
    for (const contender of contenders) rows.push(await measure(contender, makeLimit()));
    table(
      `${processes} processes, ${names} names each, ${title}`,
      ['contender', 'served', 'lost', 'responses 429', 'seconds', 'slowest to quickest process'],
      rows,
    );
  }
}

async function measure(contender, limit) {
  let refused = 0;
  const server = createServer((request, response) => {
    const seconds = limit();
    if (seconds > 0) refused += 1;
    // @discordjs/rest takes a 429 without this header for a ban.
    const head = {
      'content-type': 'application/json',
      ...(seconds > 0 ? { 'retry-after': seconds } : {}),
    };
    const body =
      seconds > 0
        ? { code: 'rate_limited', message: 'slow down', retry_after: seconds }
        : {
            domain: new URL(request.url, 'http://bench').searchParams.get('domain'),
            available: true,
          };
    response
      .writeHead(seconds > 0 ? 429 : 200, { ...head, via: '1.1 bench' })
      .end(JSON.stringify(body));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address();
  const children = Array.from({ length: processes }, () => fork(program, [contender, port, names]));
  try {
    const next = (child) =>
      new Promise((resolve, reject) => {
        child.once('message', resolve);
        child.once('exit', (code) => reject(new Error(`${contender} ended with ${code}`)));
      });
    await Promise.all(children.map(next));
    const done = children.map(next);
    for (const child of children) child.send('go');
    const results = await Promise.all(done);
    const served = results.reduce((sum, each) => sum + each.served, 0);
    const seconds = results.map((each) => each.seconds);
    const ratio = Math.max(...seconds) / Math.min(...seconds);
    return [
      contender,
      served,
      processes * names - served,
      refused,
      Math.max(...seconds).toFixed(1),
      `${ratio.toFixed(2)} x`,
    ];
  } finally {
    for (const child of children) child.kill();
    server.close();
    server.closeAllConnections();
  }
}

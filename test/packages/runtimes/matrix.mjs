// The matrix of runtimes, which docs/client.md sums up: each feature of the packed package in each runtime.

import { createServer } from 'node:http';
import { connect } from 'node:net';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../packed-project.mjs';

const features = [
  'client',
  'undici8',
  'fetch',
  'proxy',
  'webhooks',
  'sqlite',
  'postgres',
  'emulator',
  'command',
];

/** Cells that are not plainly "yes": what is printed there, and what the matrix says of it. */
const expected = {
  'Node 20 undici8': [/undici8\/lib/, 'no'],
  'Node 20 sqlite': [/needs node:sqlite, which Node 20\.\S+ does not have/, 'no'],
  'Deno fetch': [/a refused connection is unknown/, 'a refused connection is `unknown`'],
  'Bun proxy': [/the option is refused/, 'by `fetch`'],
};

/**
 * Named checks, one for each cell. `cells` is filled as they run.
 *
 * @param at - the folder of the project that has the package installed
 */
export function matrixChecks(runtimes, install, at, cells) {
  const checks = {};
  for (const [name, runtime] of Object.entries(runtimes)) {
    for (const feature of features) {
      const cell = `${name} ${feature}`;
      checks[`${feature} on ${name}`] = async () => {
        cells.set(cell, 'FAILED');
        const note = await runCell({ ...runtime, program: install(runtime) }, feature, {
          name,
          at,
        });
        const [words, verdict] = expected[cell] ?? [/^$/, 'yes'];
        if (!words.test(note.text) || (note.failed && verdict === 'yes')) {
          throw new Error(`expected ${words}\n${note.text}`);
        }
        cells.set(cell, verdict);
        return verdict === 'yes' ? undefined : words.exec(note.text)[0];
      };
    }
  }
  return checks;
}

/** The matrix as a table, a row for each feature. */
export function matrixTable(runtimes, cells) {
  const names = [...Object.keys(runtimes), 'Workers'];
  return table(
    ['', ...names],
    features.map((feature) => [
      feature,
      ...names.map((name) => cells.get(`${name} ${feature}`) ?? ''),
    ]),
  );
}

export function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** One feature in a process of its own, with an emulator and a proxy of its own. */
async function runCell(runtime, feature, { name, at }) {
  const { MarketEmulator } = await import(join(root, 'dist/testing.js'));
  const emulator = await MarketEmulator.start({ control: true });
  const proxy = await startProxy();
  const { keyId, secret } = emulator.createCredential();
  const env = {
    ...process.env,
    ...runtime.env,
    DATABASE_URL: 'postgres://postgres@127.0.0.1:5432/test',
    MARKET_BASE_URL: emulator.baseUrl,
    MARKET_KEY_ID: keyId,
    MARKET_SECRET: secret,
    NO_COLOR: '1',
    RUNTIME_CERTIFICATES: join(root, 'test/support/certificates'),
    RUNTIME_NAME: name.toLowerCase().replaceAll(/\W/g, '-'),
    RUNTIME_PROXY: proxy.url,
  };
  const args =
    feature === 'command'
      ? [
          join(at, 'node_modules/market-partner-sdk/dist/bin.cjs'),
          'orders',
          'place',
          'brew.example',
        ]
      : [join(at, 'features.mjs'), feature];
  try {
    const options = { cwd: at, env, timeout: 60_000 };
    const { stdout } = await promisify(execFile)(
      runtime.program,
      [...runtime.args, ...args],
      options,
    );
    if (feature === 'proxy' && proxy.requests() === 0) throw new Error('nothing passed the proxy');
    if (feature !== 'command') return { failed: false, text: stdout.trim() };
    const placed = emulator.requests.some(
      ({ endpoint, status }) => endpoint === 'POST /orders' && status === 201,
    );
    return { failed: !placed, text: placed ? '' : stdout };
  } catch (error) {
    return { failed: true, text: `${error.stdout ?? ''}${error.stderr ?? ''}` || error.message };
  } finally {
    proxy.close();
    await emulator.stop();
  }
}

/** A forward proxy: a tunnel for CONNECT, as undici asks for it, or a request with a whole address, as Bun's fetch. */
async function startProxy() {
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests += 1;
    const answer = await fetch(request.url, { headers: request.headers });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') });
    response.end(await answer.text());
  });
  server.on('connect', ({ url }, socket) => {
    requests += 1;
    const [host, port] = url.split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests: () => requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Receives webhooks on the platforms that partners run, each with the packed package in a process of its own: the
 * examples of Nest and Next, built and started, and the platforms of platforms/serve.mjs. Prints a table of what each
 * delivery got. What a partner writes on these platforms compiles: platforms/types.ts, and the routes of next-routes by
 * Next's own check. Then what a visitor gets when an error of the client leaves a handler: platforms/errors.mjs. Needs a
 * built `dist`; all else happens in a temporary folder that is removed.
 *
 *     node test/webhooks/frameworks/run.mjs [--package <tarball>] [part of a name]
 */

import { execFile, spawn } from 'node:child_process';
import { copyFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { freePort } from '../../support/free-port.mjs';
import { deliver, deliveries, secret } from './deliveries.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const env = {
  ...process.env,
  NEXT_TELEMETRY_DISABLED: '1',
  NODE_ENV: undefined,
  MARKET_WEBHOOK_SECRET: secret,
};

/** Projects of their own, which npm installs together. */
const projects = {
  nest: 'examples/webhooks/nest',
  next: 'examples/webhooks/next',
  'next-routes': 'test/webhooks/frameworks/next-routes',
  platforms: 'test/webhooks/frameworks/platforms',
};

const { values, positionals } = parseArgs({
  options: { package: { type: 'string' } },
  allowPositionals: true,
});
const [wanted = ''] = positionals;
const head = ['platform', ...Object.keys(deliveries), 'handled', 'process'];
const right = [...Object.values(deliveries).map(({ expected }) => expected), 'once', 'lives'];
const folder = await mkdtemp(join(tmpdir(), 'frameworks-'));
try {
  await install(values.package ?? (await pack()));
  const platforms = Object.entries(await findPlatforms());
  const rows = [];
  for (const [name, start] of platforms) {
    if (name.toLowerCase().includes(wanted.toLowerCase()))
      rows.push([name, ...(await check(name, start))]);
  }
  for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);
  const failed = rows.filter(isWrong);
  console.log(`${rows.length - failed.length} platforms right, ${failed.length} wrong`);
  if (failed.length > 0 || (rows.length === 0 && wanted !== 'errors')) process.exitCode = 1;
  if (wanted === '' || wanted === 'errors') await checkErrors();
} finally {
  // A server that was killed may have left a process that still writes.
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** Nest on Fastify keeps no bytes of an empty body: like any body that is missing, it is 500. */
function isWrong([name, ...cells]) {
  const isMissing = (at) => name === 'Nest on Fastify' && head[at + 1] === 'no body';
  return cells.some((cell, at) => cell !== (isMissing(at) ? 500 : right[at]));
}

async function pack() {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const packed = JSON.parse((await run('npm', args, { cwd: root })).stdout);
  // npm 12 gives an object where those before gave a list.
  const [{ filename }] = Array.isArray(packed) ? packed : Object.values(packed);
  return join(folder, filename);
}

async function install(tarball) {
  for (const [name, path] of Object.entries(projects)) {
    await cp(join(root, path), join(folder, name), {
      recursive: true,
      filter: (file) => !/[\\/](node_modules|dist|\.next)$/.test(file),
    });
    const file = join(folder, name, 'package.json');
    const manifest = JSON.parse(await readFile(file, 'utf8'));
    manifest.dependencies['market-partner-sdk'] = `file:${tarball}`;
    await writeFile(file, JSON.stringify(manifest));
  }
  const manifest = { private: true, workspaces: Object.keys(projects) };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const options = { cwd: folder, timeout: 900_000, env };
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], options);
  await run('npm', ['run', 'build', '--workspaces', '--if-present'], options);
}

/** How each platform is started: without a shell or npm between, so that it can be ended. */
async function findPlatforms() {
  const serve = join(folder, 'platforms/serve.mjs');
  const names = JSON.parse((await run(process.execPath, [serve], { env })).stdout);
  const next = join(folder, 'node_modules/next/dist/bin/next');
  return {
    'the example for Nest': startProgram('nest', () => ['dist/main.js']),
    'the example for Next': startProgram('next', (port) => [
      next,
      'start',
      '-H',
      '127.0.0.1',
      '-p',
      port,
    ]),
    ...Object.fromEntries(
      names.map((name) => [name, startProgram('platforms', () => [serve, name])]),
    ),
  };
}

/** Resolves once the platform accepts connections. */
function startProgram(project, argumentsFor) {
  return async () => {
    const port = await freePort();
    const child = spawn(process.execPath, argumentsFor(String(port)), {
      cwd: join(folder, project),
      env: { ...env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const program = { child, output: '', url: new URL(`http://127.0.0.1:${port}/webhooks/market`) };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => (program.output += text));
    }
    program.ended = new Promise((resolve) => child.once('exit', resolve));
    for (let turn = 0; !(await accepts(port)); turn += 1) {
      if (turn === 300 || child.exitCode !== null) throw new Error(program.output);
      await sleep(100);
    }
    return program;
  };
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.destroy());
    socket.on('error', () => resolve(false)).on('close', () => resolve(true));
  });
}

/** An error that nothing catches is a 500 without anything of the service; the handlers of examples/errors/web-frameworks.mjs make it a 404. */
async function checkErrors() {
  await copyFile(
    join(root, 'examples/errors/web-frameworks.mjs'),
    join(folder, 'platforms/handlers.mjs'),
  );
  const options = { cwd: join(folder, 'platforms'), env, timeout: 60_000 };
  const { stdout } = await run(process.execPath, ['errors.mjs'], options);
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  // Fastify shows the message of any error, and ours has the service's words: docs/errors.md says so.
  const uncaught = { 'Sentry for Express': 'NotFoundError', 'Fastify 5': '500 body' };
  const expected = (name) => [uncaught[name] ?? '500', '404'];
  const wrong = rows.filter(([name, ...cells]) => cells.join() !== expected(name).join());
  for (const row of [['framework', 'uncaught', 'handled'], ['---', '---', '---'], ...rows]) {
    console.log(`| ${row.join(' | ')} |`);
  }
  console.log(`${rows.length - wrong.length} frameworks right, ${wrong.length} wrong`);
  if (wrong.length > 0 || rows.length < 10) process.exitCode = 1;
}

/** The cells of a platform's row. A program that ended is started again. */
async function check(name, start) {
  let program = await start();
  let [output, deaths] = ['', 0];
  const cells = [];
  for (const delivery of Object.values(deliveries)) {
    cells.push(await deliver(program.url, delivery, { isHttp2: name === 'HTTP/2' }));
    // An exception in a callback ends the process a moment after the response.
    await sleep(20);
    if (program.child.exitCode === null) continue;
    deaths += 1;
    output += program.output;
    program = await start();
  }
  program.child.kill();
  await program.ended;
  output += program.output;
  const runs = output.match(/settled ord_1/g)?.length ?? 0;
  cells.push(
    runs === 1 ? 'once' : `${runs} times`,
    deaths === 0 ? 'lives' : `died ${deaths} times`,
  );
  if (isWrong([name, ...cells])) console.log(`${name}:\n${output}`);
  return cells;
}

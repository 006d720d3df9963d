// npm run bench: one table per question, every figure beside its rival's from the same run.
// `npm run bench -- requests signing` runs some of the questions.

import { execFileSync, fork, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const totalEvents = 200_000;

const { dependencies } = JSON.parse(readFileSync(`${here}/package.json`, 'utf8'));
if (!Object.keys(dependencies).every((name) => existsSync(`${here}/node_modules/${name}`))) {
  execFileSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'],
    {
      cwd: here,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
}
// The questions of memory collect garbage before they read the heap.
if (globalThis.gc === undefined) {
  const { status } = spawnSync(process.execPath, ['--expose-gc', ...process.argv.slice(1)], {
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}

const asked = process.argv.slice(2);
const wanted = (name) => asked.length === 0 || asked.includes(name);
const server = fork(`${here}/server.mjs`, {
  env: { ...process.env, BENCH_EVENTS: String(totalEvents) },
  execArgv: [],
});
const { port } = await new Promise((resolve, reject) => {
  server.once('message', resolve);
  server.once('error', reject);
});

try {
  const [{ model }] = cpus();
  console.log(
    `Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} x ${model.trim()}`,
  );
  if (wanted('requests')) await (await import('./requests.mjs')).requests(port);
  if (wanted('signing')) await (await import('./signing.mjs')).signing();
  if (wanted('webhooks')) await (await import('./webhooks.mjs')).webhooks();
  if (wanted('receiver')) await (await import('./receiver.mjs')).receiver();
  if (wanted('cold-start')) (await import('./cold-start.mjs')).coldStart(port);
  if (wanted('events')) await (await import('./volume.mjs')).events(port, totalEvents);
  if (wanted('many')) await (await import('./volume.mjs')).manyAtOnce(port, 10_000);
  if (wanted('proof')) await (await import('./proof.mjs')).proof();
  if (wanted('reconcile')) await (await import('./reconcile.mjs')).reconcile();
  if (wanted('durable')) await (await import('./durable.mjs')).durable();
  if (wanted('emulator')) await (await import('./emulator.mjs')).emulator();
  // A quarter of an hour: only if asked for.
  if (asked.includes('fleet')) await (await import('./fleet.mjs')).fleet();
  if (wanted('sizes')) (await import('./sizes.mjs')).sizes();
} finally {
  server.disconnect();
}

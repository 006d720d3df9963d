// npm run test:runtimes: the test suite on every supported Node and in Bun, and the packed package on those,
// in Deno and in Cloudflare Workers. The runtimes come from npm as plain packages.
//
//   node test/packages/runtimes.mjs            everything
//   node test/packages/runtimes.mjs --smoke    the packed package alone
//   node test/packages/runtimes.mjs http/2     the checks whose name contains the text

import { copyFileSync, readFileSync } from 'node:fs';
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
import { runBunSuite } from './runtimes/bun-suite.mjs';
import { http2Checks, http2Head } from './runtimes/http2.mjs';
import { installer, runtimes } from './runtimes/installed.mjs';
import { matrixChecks, matrixTable, table } from './runtimes/matrix.mjs';
import { workerChecks } from './runtimes/workers.mjs';

const here = join(root, 'test/packages');
/** Six minutes on an idle machine of two cores. */
const suiteTimeoutMs = 1_200_000;
const [argument = ''] = process.argv.slice(2);
const smokeOnly = argument === '--smoke';

await inTemporaryFolder(async (folder) => {
  const { tarball } = pack(folder);
  const smoke = readFileSync(join(here, 'smoke.mjs'), 'utf8');
  const at = project(
    join(folder, 'project'),
    {
      'package.json': { private: true, type: 'module' },
      'smoke.mjs': smoke,
      'smoke.cjs': toCommonJs(smoke),
    },
    [tarball, 'undici@7', 'undici8@npm:undici@8', 'pg@8.23.1', 'pg-boss@12.35.0'],
  );
  for (const name of ['features.mjs', 'http2-client.mjs']) {
    copyFileSync(join(here, 'runtimes', name), join(at, name));
  }
  const install = installer(folder);
  const [cells, rows] = [new Map(), []];

  const named = Object.fromEntries(
    Object.entries(runtimes).map(([name, runtime]) => [
      `smoke on ${name}`,
      () => {
        const program = install(runtime);
        const programs = name.startsWith('Node') ? ['smoke.mjs', 'smoke.cjs'] : ['smoke.mjs'];
        for (const file of programs) run(program, [...runtime.args, file], at, runtime.env);
        return run(program, ['--version'], at).split('\n')[0];
      },
    ]),
  );
  Object.assign(
    named,
    matrixChecks(runtimes, install, at, cells),
    workerChecks(install, at, cells),
    http2Checks(runtimes, install, at, rows),
  );
  if (!smokeOnly) {
    for (const [name, runtime] of Object.entries(runtimes)) {
      if (name.startsWith('Node')) named[`tests on ${name}`] = () => runSuite(install(runtime));
    }
    named['tests in Bun'] = () => runBunSuite(install(runtimes.Bun));
  }

  const wanted = smokeOnly ? '' : argument.toLowerCase();
  await checks(
    Object.fromEntries(
      Object.entries(named).filter(([name]) => name.toLowerCase().includes(wanted)),
    ),
  );
  if (cells.size > 0) console.log(`\n${matrixTable(runtimes, cells)}`);
  if (rows.length > 0) console.log(`\n${table(http2Head, rows)}`);
});

function runSuite(program) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--reporter=dot', '--silent'];
  const printed = run(program, args, root, { NO_COLOR: '1' }, suiteTimeoutMs);
  return /Tests\s+(.*)/.exec(printed)?.[1];
}

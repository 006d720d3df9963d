// npm run next: the source with what 1.0 will use, in a copy of the tree, on Node 24; npm run test:floor: with
// the oldest undici that package.json allows, on this Node.
//
//   node test/packages/next.mjs                types, build and the whole suite
//   node test/packages/next.mjs test/client    the suite of this folder alone
//   node test/packages/next.mjs --floor        what goes through undici

import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { inTemporaryFolder, npm, root, run } from './packed-project.mjs';
import { installer, runtimes } from './runtimes/installed.mjs';
import { table } from './runtimes/matrix.mjs';

const isFloor = process.argv.includes('--floor');
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const transports = [
  'test/client',
  'test/faults/sockets',
  'test/faults/hostile',
  'test/faults/simulation',
  'test/opentelemetry',
];

const floor = { undici: dependencies.undici.replace('^', '') };
const versionsOfNext = {
  undici: '8',
  vitest: '5',
  '@vitest/coverage-v8': '5',
  tsup: '9',
  msw: '3',
  typescript: '6',
  '@types/node': '24',
};
const wanted = isFloor ? floor : versionsOfNext;
const suiteTimeoutMs = 1_800_000;

await inTemporaryFolder(async (folder) => {
  const node = isFloor ? process.execPath : installer(folder)(runtimes['Node 24']);
  const copy = copyTree(join(folder, 'copy'));
  const versions = installNext(copy);
  const env = { NO_COLOR: '1', PATH: dirname(node) + delimiter + process.env.PATH };
  const bin = (path) => join(copy, 'node_modules', path);
  const rows = [];
  const step = (name, args) => {
    const started = performance.now();
    const { passed, printed } = attempt(() => run(node, args, copy, env, suiteTimeoutMs));
    const seconds = Math.round((performance.now() - started) / 1000);
    const counts = /Tests\s+(.*)/.exec(printed)?.[1] ?? '';
    rows.push([name, passed ? 'green' : 'RED', counts, `${seconds} s`]);
    if (passed) return;
    process.exitCode = 1;
    console.log(`--- ${name}\n${printed.slice(-20_000)}`);
  };

  if (!isFloor) {
    step('types', [bin('typescript/bin/tsc'), '--noEmit']);
    step('types of the console', [bin('typescript/bin/tsc'), '-p', 'src/testing/console']);
    step('build', [bin('tsup/dist/cli-default.js'), '--silent']);
  }
  const only = isFloor ? transports : process.argv.slice(2);
  step(only.length === 0 ? 'suite' : `suite: ${only.join(' ')}`, [
    bin('vitest/vitest.mjs'),
    ...['run', '--reporter=dot', '--silent=true'],
    ...only,
  ]);

  const used = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  console.log(`\n${run(node, ['--version'], copy).trim()}, ${used.join(', ')}\n`);
  console.log(table(['step', 'result', 'tests', 'time'], rows));
});

/** The files that git has or would add, as they are now. */
function copyTree(copy) {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  // The lock file of the release is of today's versions.
  const left = ['', 'test/workflows.test.ts'];
  for (const file of files.split('\0').filter((name) => !left.includes(name))) {
    cpSync(join(root, file), join(copy, file));
  }
  return copy;
}

/** Installs the next versions, and returns which they are. A major version that does not exist fails here. */
function installNext(copy) {
  const path = join(copy, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  for (const [name, version] of Object.entries(wanted)) {
    const kind = name in manifest.dependencies ? 'dependencies' : 'devDependencies';
    manifest[kind][name] = isFloor ? version : `^${version}`;
  }
  writeFileSync(path, JSON.stringify(manifest, null, 2));
  // Forced: a tool whose newest version does not know these yet, such as typedoc, must not stop the rest.
  npm(['install', '--no-audit', '--no-fund', '--no-package-lock', '--force'], copy);
  const versionOf = (name) =>
    JSON.parse(readFileSync(join(copy, 'node_modules', name, 'package.json'), 'utf8')).version;
  return Object.fromEntries(Object.keys(wanted).map((name) => [name, versionOf(name)]));
}

function attempt(action) {
  try {
    return { passed: true, printed: action() };
  } catch (error) {
    return { passed: false, printed: error.message };
  }
}

// npm run check:package: the package as it would be published, checked from outside.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { checkSurface } from './surface.mjs';
import {
  bytesBelow,
  checks,
  inWorkshop,
  pack,
  project,
  root,
  run,
  toCommonJs,
  withoutHash,
  withoutModuleSync,
} from './workshop.mjs';

const here = join(root, 'test/packages');
const smoke = readFileSync(join(here, 'smoke.mjs'), 'utf8');
const consumer = readFileSync(join(here, 'consumer.ts'), 'utf8');

// Nearly a third of it is the types with the comments that editors show on hover.
const maxTarballKb = 150;
const maxInstalledMb = 2.5;

// gzip looks back 32.5 kB. From a file to its twin there are the first one's length, what fills up
// its last block of 512 bytes, and a header of 512.
const maxTwinKb = 31.5;

/** An error of the one copy is an instance of the other's class. */
const bothKinds = `
const assert = require('node:assert');
const cjs = require('market-partner-sdk');
(async () => {
  const esm = await import('market-partner-sdk');
  const error = new cjs.NotFoundError('gone');
  assert(error instanceof esm.NotFoundError && error instanceof esm.MarketError);
  assert(!(error instanceof esm.ConflictError));
  assert(new esm.TimeoutError('late', { which: 'attempt' }) instanceof cjs.ConnectionError);
})();
`;

/** What each door may load besides its own parts. */
const allowedImports = {
  index: [/^node:/, /^undici$/, /^undici\//],
  webhooks: [/^node:/],
  testing: [/^node:/],
};

await inWorkshop(async (folder) => {
  const { tarball, description } = pack(folder);
  const install = (name, files, packages = []) =>
    project(join(folder, name), { 'package.json': { private: true, type: 'module' }, ...files }, [
      tarball,
      ...packages,
    ]);

  const typescript = (version, settings, packages = []) => {
    const name = `ts-${version}-${Object.values(settings).join('-')}-${packages.length}`;
    const inProject = install(
      name,
      {
        'consumer.ts': consumer,
        'tsconfig.json': {
          compilerOptions: {
            target: 'es2022',
            lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
            types: packages.length > 0 ? ['node'] : [],
            strict: true,
            exactOptionalPropertyTypes: true,
            skipLibCheck: false,
            noEmit: true,
            ...settings,
          },
          files: ['consumer.ts'],
        },
      },
      [`typescript@${version}`, ...packages],
    );
    run('npx', ['tsc', '-p', '.'], inProject);
  };

  await checks({
    'publint --strict': () => void run('npx', ['publint', '--strict'], root),
    'attw, profile node16': () =>
      void run('npx', ['attw', tarball, '--profile', 'node16', '--quiet'], root),
    'files of the tarball': () => compareFiles(description.files.map(({ path }) => path)),
    'size of the tarball': () => within((description.size / 1e3).toFixed(1), maxTarballKb, 'kB'),
    'twins within reach of gzip': checkTwins,
    'the public surface': checkSurface,
    'imports of each door': checkImports,
    'ESM JavaScript, the command, and the size installed': () => {
      const esm = install('esm', { 'smoke.mjs': smoke });
      run('node', ['smoke.mjs'], esm);
      run(join(esm, 'node_modules/.bin/market-partner-sdk'), ['--help'], esm);
      const bytes = bytesBelow(join(esm, 'node_modules'));
      return within((bytes / 1e6).toFixed(2), maxInstalledMb, 'MB');
    },
    'CommonJS JavaScript, and both together': () => {
      const cjs = install('cjs', {
        'package.json': { private: true },
        'smoke.cjs': toCommonJs(smoke),
        'both.cjs': bothKinds,
      });
      run('node', ['smoke.cjs'], cjs);
      // Where `require` takes ES modules, `module-sync` leads it to them.
      run('node', [withoutModuleSync, 'smoke.cjs'], cjs);
      run('node', [withoutModuleSync, 'both.cjs'], cjs);
    },
    'esbuild bundles': () => {
      const bundled = install('bundle', { 'smoke.mjs': smoke, 'smoke.cjs': toCommonJs(smoke) }, [
        'esbuild',
      ]);
      const bundle = ['esbuild', '--bundle', '--platform=node'];
      const require = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;
      const toEsm = ['smoke.mjs', '--format=esm', `--banner:js=${require}`, '--outfile=out.mjs'];
      run('npx', [...bundle, ...toEsm], bundled);
      run('npx', [...bundle, 'smoke.cjs', '--format=cjs', '--outfile=out.cjs'], bundled);
      run('rm', ['-rf', 'node_modules'], bundled);
      run('node', ['out.mjs'], bundled);
      run('node', ['out.cjs'], bundled);
    },
    'TypeScript 5.9, node16, with @types/node': () =>
      typescript('5.9', { module: 'node16', moduleResolution: 'node16' }, ['@types/node@20']),
    'TypeScript 5.9, node16, without @types/node': () =>
      typescript('5.9', { module: 'node16', moduleResolution: 'node16' }),
    'TypeScript 5.9, nodenext, without @types/node': () =>
      typescript('5.9', { module: 'nodenext', moduleResolution: 'nodenext' }),
    'TypeScript 5.9, bundler, without @types/node': () =>
      typescript('5.9', { module: 'esnext', moduleResolution: 'bundler' }),
    'TypeScript 5.4, node16, with @types/node': () =>
      typescript('5.4', { module: 'node16', moduleResolution: 'node16' }, ['@types/node@20.11']),
    'TypeScript 5.4, bundler, without @types/node': () =>
      typescript('5.4', {
        module: 'esnext',
        moduleResolution: 'bundler',
        lib: ['es2023', 'dom', 'dom.iterable'],
      }),
    'the newest TypeScript, nodenext, with @types/node': () =>
      typescript('latest', { module: 'nodenext', moduleResolution: 'nodenext' }, [
        '@types/node@24',
      ]),
    'the newest TypeScript, bundler, without @types/node': () =>
      typescript('latest', { module: 'esnext', moduleResolution: 'bundler' }),
  });
});

/**
 * A file of dist/cjs that is longer than gzip looks back is downloaded twice: about 8 kB more. Most of
 * them have a twin in dist; the ones that have none may have any length.
 */
function checkTwins() {
  const twins = readdirSync(join(root, 'dist/cjs'))
    .filter((name) => name.endsWith('.js') && existsSync(join(root, 'dist', name)))
    .map((name) => ({ name, kb: statSync(join(root, 'dist/cjs', name)).size / 1e3 }))
    .sort((a, b) => b.kb - a.kb);
  const [longest] = twins;
  if (longest.kb > maxTwinKb) {
    throw new Error(
      `dist/cjs/${longest.name} has ${longest.kb.toFixed(1)} kB, and ${maxTwinKb} kB is the most: ` +
        'in tsup.config.ts, give some of its files to a neighbour in `parts`, or name another part',
    );
  }
  return `${twins.length}, the longest with ${longest.kb.toFixed(1)} of ${maxTwinKb} kB`;
}

function within(value, most, unit) {
  if (Number(value) > most) throw new Error(`${value} ${unit}, and ${most} ${unit} is the most`);
  return `${value} of ${most} ${unit}`;
}

function compareFiles(actual) {
  const list = join(here, 'files.txt');
  // A name that is there twice is a part of an earlier build.
  const text = `${actual.map(withoutHash).sort().join('\n')}\n`;
  if (process.argv.includes('--write')) writeFileSync(list, text);
  const expected = readFileSync(list, 'utf8');
  if (text !== expected) throw new Error(`expected\n${expected}\ngot\n${text}`);
  return `${actual.length} files`;
}

/** Follows each door's imports through our own parts and holds what leaves them against the list. */
function checkImports() {
  const outside = {};
  for (const [door, allowed] of Object.entries(allowedImports)) {
    for (const file of [`dist/${door}.js`, `dist/cjs/${door}.js`]) {
      const found = importsOf(file, new Set(), new Set());
      const stray = [...found].filter((name) => !allowed.some((pattern) => pattern.test(name)));
      if (stray.length > 0) throw new Error(`${file} loads ${stray.join(', ')}`);
      outside[door] = [...found].length;
    }
  }
  return Object.entries(outside)
    .map(([door, count]) => `${door} ${count}`)
    .join(', ');
}

function importsOf(file, outside, seen) {
  if (seen.has(file)) return outside;
  seen.add(file);
  const source = readFileSync(join(root, file), 'utf8')
    .replaceAll(/^\s*\*.*$/gm, '')
    .replaceAll(/\/\/.*$/gm, '');
  const pattern =
    /(?:^|[\s;}])(?:import|from)\s*['"]([^'"\n]+)['"]|(?:import|require)\(\s*['"]([^'"\n]+)['"]\s*\)/g;
  for (const [, named, called] of source.matchAll(pattern)) {
    const name = named ?? called;
    if (name.startsWith('./')) importsOf(posix.join(posix.dirname(file), name), outside, seen);
    else outside.add(name);
  }
  return outside;
}

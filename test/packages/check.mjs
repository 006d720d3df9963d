// npm run check:package: the package as it would be published, checked from outside.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { gzipSync } from 'node:zlib';
import assert from 'node:assert/strict';
import { build } from 'esbuild';
import { entryPoints } from '../../src/entry-points.js';
import { checkContainer } from './container.mjs';
import { checkFiles } from './files.mjs';
import { checkSurface } from './surface.mjs';
import {
  bytesBelow,
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
const consumer = readFileSync(join(here, 'consumer.ts'), 'utf8');
const twoVersions = readFileSync(join(here, 'two-versions.ts'), 'utf8');

// Half of it is JavaScript. The rest is the types with the comments that editors show on hover, and
// the guides and examples of this version.
const maxTarballKb = 592;
const maxInstalledMb = 4;

/** The console page, gzipped: its four files together. */
const maxConsoleKb = 26;

/** ESM and CommonJS share one copy of each class, so `instanceof` holds across them. */
const bothFormats = `
const assert = require('node:assert');
(async () => {
  for (const entryPoint of ['market-partner-sdk', 'market-partner-sdk/webhooks']) {
    const [esm, cjs] = [await import(entryPoint), require(entryPoint)];
    assert.deepEqual(Object.keys(esm).sort(), Object.keys(cjs).sort());
    for (const name of Object.keys(esm)) assert.equal(esm[name], cjs[name]);
  }
  const { ConflictError, MarketError } = await import('market-partner-sdk');
  const error = new (require('market-partner-sdk').NotFoundError)('gone');
  assert(error instanceof MarketError && !(error instanceof ConflictError));
})();
`;

/** A receiver of webhooks, bundled into one ES module without any option. */
const receiver = `
import { createWebhookHandler, signWebhook } from 'market-partner-sdk/webhooks';
const body = JSON.stringify({ id: 'evt_1', type: 'order.settled', created_at: '2026-11-21T08:00:00Z', data: {} });
const headers = { 'x-market-signature': signWebhook(body, 'whsec') };
const { status } = await createWebhookHandler({ secret: 'whsec' }).handle({ headers, body });
if (status !== 200) throw new Error('the receiver responded with ' + status);
`;

/** A partner's test in Jest, which runs CommonJS in a realm of its own. */
const jestTest = `
const { MarketClient, NotFoundError } = require('market-partner-sdk');
const { MarketEmulator } = require('market-partner-sdk/testing');
test('an order can be read', async () => {
  const emulator = await MarketEmulator.start();
  const { keyId, secret } = emulator.createCredential();
  const market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });
  const { public_id } = await market.orders.create({ domain: 'brew.example', expected_price: 250_000 });
  expect(await market.orders.get(public_id)).toMatchObject({ domain: 'brew.example' });
  await expect(market.orders.get('ord_none')).rejects.toBeInstanceOf(NotFoundError);
  await market.close();
  await emulator.stop();
});
`;

/** What each entry point may load besides its own files. */
const allowedImports = {
  index: [/^node:/, /^undici$/, /^undici\//],
  webhooks: [/^node:/],
  testing: [/^node:/],
  opentelemetry: [/^node:/],
  durable: [/^node:/],
  'durable/pg-boss': [/^node:/, /^pg$/, /^pg-boss$/],
};

await inTemporaryFolder(async (folder) => {
  const { tarball, description } = pack(folder);
  const install = (name, files, packages = []) =>
    project(join(folder, name), { 'package.json': { private: true, type: 'module' }, ...files }, [
      tarball,
      ...packages,
    ]);

  const typescript = (version, settings, packages = [], type = 'module') => {
    const name = `ts-${version}-${Object.values(settings).join('-')}-${packages.length}-${type}`;
    const inProject = install(
      name,
      {
        'package.json': { private: true, type },
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
    'attw, all resolutions': () => void run('npx', ['attw', tarball, '--quiet'], root),
    'files of the tarball': () => checkFiles(description),
    'size of the tarball': () => within((description.size / 1e3).toFixed(1), maxTarballKb, 'kB'),
    'links of the packed pages': () => checkLinks(unpack(tarball, join(folder, 'unpacked'))),
    'size of the console page': checkConsole,
    'notices of what is compiled in': checkNotices,
    'bill of materials, and notices in a bundle of a partner': checkBill,
    'the public surface': checkSurface,
    'exports and imports of each entry point': checkEntryPoints,
    'ESM JavaScript, the command, and the size installed': () => {
      const esm = install('esm', { 'smoke.mjs': smoke });
      run('node', ['smoke.mjs'], esm);
      run(join(esm, 'node_modules/.bin/market-partner-sdk'), ['--help'], esm);
      const bytes = bytesBelow(join(esm, 'node_modules'));
      return within((bytes / 1e6).toFixed(2), maxInstalledMb, 'MB');
    },
    'the container of docs/testing.md': () => checkContainer(tarball, join(folder, 'container')),
    'CommonJS JavaScript, and both together': () => {
      const cjs = install('cjs', {
        'package.json': { private: true },
        'smoke.cjs': toCommonJs(smoke),
        'both.cjs': bothFormats,
      });
      run('node', ['smoke.cjs'], cjs);
      run('node', ['both.cjs'], cjs);
    },
    'Jest, in CommonJS': () => {
      const files = { 'package.json': { private: true }, 'orders.test.js': jestTest };
      run('npx', ['jest'], install('jest', files, ['jest@30']));
    },
    'bundles of esbuild and webpack': () => {
      const programs = {
        'smoke.mjs': smoke,
        'smoke.cjs': toCommonJs(smoke),
        'receiver.mjs': receiver,
      };
      const bundled = install('bundle', programs, ['esbuild', 'webpack@5', 'webpack-cli@6']);
      const bundle = ['esbuild', '--bundle', '--platform=node'];
      const guide = readFileSync(join(root, 'docs/client.md'), 'utf8');
      const [banner] = /^--banner:js=.+$/m.exec(guide);
      const toEsm = ['smoke.mjs', '--format=esm', banner, '--outfile=out.mjs'];
      run('npx', [...bundle, ...toEsm], bundled);
      run('npx', [...bundle, 'smoke.cjs', '--format=cjs', '--outfile=out.cjs'], bundled);
      run(
        'npx',
        [...bundle, 'receiver.mjs', '--format=esm', '--outfile=receiver.out.mjs'],
        bundled,
      );
      const webpack = ['--target', 'node20', '--mode', 'production', '--output-path', '.'];
      const packed = ['./smoke.mjs', ...webpack, '--output-filename', 'pack.cjs'];
      assert.doesNotMatch(run('npx', ['webpack', ...packed], bundled), /WARNING/);
      run('rm', ['-rf', 'node_modules'], bundled);
      for (const file of ['out.mjs', 'out.cjs', 'receiver.out.mjs', 'pack.cjs']) {
        run('node', [file], bundled);
      }
    },
    'TypeScript 5.9, node16, with @types/node': () =>
      typescript('5.9', { module: 'node16', moduleResolution: 'node16' }, ['@types/node@20']),
    'TypeScript 5.9, node16, without @types/node': () =>
      typescript('5.9', { module: 'node16', moduleResolution: 'node16' }),
    'TypeScript 5.9, nodenext, without @types/node': () =>
      typescript('5.9', { module: 'nodenext', moduleResolution: 'nodenext' }),
    'TypeScript 5.9, bundler, without @types/node': () =>
      typescript('5.9', { module: 'esnext', moduleResolution: 'bundler' }),
    'TypeScript 5.9, nodenext, in CommonJS': () =>
      typescript('5.9', { module: 'nodenext' }, [], 'commonjs'),
    'TypeScript 5.9, node10, with @types/node': () =>
      typescript(
        '5.9',
        { module: 'commonjs', moduleResolution: 'node10' },
        ['@types/node@20'],
        'commonjs',
      ),
    'TypeScript 5.9, two versions of the package': () => {
      const files = { 'two-versions.ts': twoVersions };
      const inProject = install('two-versions', files, ['typescript@5.9', '@types/node@20']);
      const [one, other] = ['market-partner-sdk', 'other-version'].map((name) =>
        join(inProject, 'node_modules', name),
      );
      cpSync(one, other, { recursive: true });
      const manifest = JSON.parse(readFileSync(join(other, 'package.json'), 'utf8'));
      // TypeScript takes two copies of one version for the same package.
      const changed = JSON.stringify({ ...manifest, version: '0.0.1' });
      writeFileSync(join(other, 'package.json'), changed);
      const settings = ['--noEmit', '--strict', '--module', 'nodenext', '--types', 'node'];
      run('npx', ['tsc', ...settings, 'two-versions.ts'], inProject);
    },
    'TypeScript 5.4, node10, without @types/node': () =>
      typescript('5.4', { module: 'commonjs', lib: ['es2023', 'dom', 'dom.iterable'] }),
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

function unpack(tarball, folder) {
  mkdirSync(folder);
  run('tar', ['-xzf', tarball, '-C', folder], folder);
  return join(folder, 'package');
}

/**
 * Each relative link of a packed page leads to a packed file, for a reader of node_modules. Only
 * images stay in the repository: their text says what they show.
 */
function checkLinks(packed) {
  const pages = readdirSync(packed, { recursive: true }).filter(
    (path) => /(\.md|^llms\.txt)$/.test(path) && !path.startsWith('dist'),
  );
  const links = pages.flatMap((page) => linksOf(packed, page).map((target) => ({ page, target })));
  const dead = links.filter(({ page, target }) => !existsSync(join(packed, page, '..', target)));
  assert.ok(pages.includes('README.md') && pages.length > 15, `only ${pages.join(', ')}`);
  assert.deepEqual(dead, [], 'no packed file');
  return `${links.length} links of ${pages.length} pages`;
}

/** Where a page's links lead, without images, other sites and places in the page itself. */
function linksOf(packed, page) {
  const prose = readFileSync(join(packed, page), 'utf8').replaceAll(/^```[^]*?^```$/gm, '');
  return [...prose.replaceAll(/`[^`\n]*`/g, '').matchAll(/(!?)\[[^\]]*\]\(([^)#\s]+)/g)]
    .filter(([, image, target]) => image === '' && !/^[a-z]+:/.test(target))
    .map(([, , target]) => target);
}

/** The published files contain zod, commander and Preact, whose licenses ask for their text. */
function checkNotices() {
  const notices = readFileSync(join(root, 'THIRD-PARTY-NOTICES.md'), 'utf8');
  const checkNotice = (name) => {
    const folder = join(root, 'node_modules', name);
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    assert.ok(notices.includes(`## ${name} ${version}\n`), `no heading "${name} ${version}"`);
    assert.ok(notices.includes(readFileSync(join(folder, 'LICENSE'), 'utf8').trim()), 'no license');
    return `${name} ${version}`;
  };
  return ['zod', 'commander', 'preact'].map(checkNotice).join(', ');
}

/** The CycloneDX file names what is in the files, and each bundler's output keeps the notice of zod. */
async function checkBill() {
  const bill = JSON.parse(readFileSync(join(root, 'dist/bom.cdx.json'), 'utf8'));
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.equal(bill.bomFormat, 'CycloneDX');
  assert.equal(bill.metadata.component.purl, `pkg:npm/${name}@${version}`);
  const files = readdirSync(join(root, 'dist')).filter((file) => file.endsWith('.cjs'));
  const code = files.map((file) => readFileSync(join(root, 'dist', file), 'utf8')).join('\n');
  const named = [...code.matchAll(/^With parts of (\S+ \S+):$/gm)].map(([, found]) => found);
  const listed = bill.components.map((each) => {
    const folder = join(root, 'node_modules', each.name);
    const installed = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    assert.equal(each.purl, `pkg:npm/${each.name}@${installed.version}`);
    assert.deepEqual(each.licenses, [{ license: { id: installed.license } }]);
    return `${each.name} ${each.version}`;
  });
  assert.deepEqual(
    bill.components.map((each) => each.name),
    ['commander', 'preact', 'zod'],
  );
  assert.deepEqual([...new Set(named)].sort(), listed);
  const { outputFiles } = await build({
    stdin: { contents: `export * from './dist/index.js';`, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    platform: 'node',
  });
  assert.match(outputFiles[0].text, /With parts of zod [^]*Permission is hereby granted/);
  return listed.join(', ');
}

/** Reads the console page as a browser does, from the built emulator. */
async function checkConsole() {
  const { MarketEmulator } = await import(join(root, 'dist/testing.js'));
  const emulator = await MarketEmulator.start({ control: true });
  const sizes = ['', 'console.js', 'console.css', 'icon.svg'].map(async (name) => {
    const response = await fetch(`${emulator.baseUrl}/_emulator/${name}`);
    assert.equal(response.status, 200, `"${name}" has status ${response.status}`);
    return gzipSync(await response.text(), { level: 9 }).length;
  });
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await emulator.stop();
  return within((bytes / 1e3).toFixed(2), maxConsoleKb, 'kB');
}

function within(value, most, unit) {
  if (Number(value) > most) throw new Error(`${value} ${unit}, and ${most} ${unit} is the most`);
  return `${value} of ${most} ${unit}`;
}

/**
 * Each entry point has its paths in package.json, and loads nothing but its own files and what the
 * list allows.
 */
function checkEntryPoints() {
  const { exports, typesVersions } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const counts = Object.keys(entryPoints).map((name) => {
    const path = name === 'index' ? '.' : `./${name}`;
    assert.deepEqual(exports[path], {
      import: { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
      require: { types: `./dist/${name}.d.cts`, default: `./dist/${name}.cjs` },
    });
    // For TypeScript's node10, which reads no `exports`.
    if (name !== 'index') assert.deepEqual(typesVersions['*'][name], [`./dist/${name}.d.cts`]);
    const found = [...importsOf(`dist/${name}.js`, new Set(), new Set())];
    const stray = found.filter((file) => !allowedImports[name].some((each) => each.test(file)));
    if (stray.length > 0) throw new Error(`dist/${name}.js loads ${stray.join(', ')}`);
    // Bundlers follow only literals, and only `import()` to the ES module that pg-boss is.
    if (name === 'durable/pg-boss') assert.deepEqual(found.slice(-2), ['pg', 'pg-boss']);
    return `${name} ${found.length}`;
  });
  return counts.join(', ');
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
    if (name.startsWith('.')) importsOf(posix.join(posix.dirname(file), name), outside, seen);
    else outside.add(name);
  }
  return outside;
}

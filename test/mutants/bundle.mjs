/** Bundles tests with the package's source, some of whose files are replaced. */

import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { entryPoints } from '../../src/entry-points.js';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const runner = join(root, 'test/mutants/stand-in-runner.mjs');

const startOfTests = "import { startFile } from 'vitest'; startFile(); ";

const sourceOf = (specifier) => {
  const [, name] = /^market-partner-sdk(?:\/(.+))?$/.exec(specifier) ?? [];
  return specifier.startsWith('market-partner-sdk') ? entryPoints[name ?? 'index'] : undefined;
};

/**
 * @param {readonly string[]} tests - paths from the root; they run in this order.
 * @param {ReadonlyMap<string, string>} replaced - source text by path from the root.
 * @param {string} outfile
 */
export async function bundleTests(tests, replaced, outfile) {
  const imports = tests.map((test) => `import ${JSON.stringify(join(root, test))};`);
  const contents = `${imports.join('\n')}\nexport { runTests, testCount } from 'vitest';`;
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    // The package says that its files have no side effects; its tests have some.
    ignoreAnnotations: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
    plugins: [sources(replaced)],
  });
}

function sources(replaced) {
  return {
    name: 'sources',
    setup(build) {
      build.onResolve({ filter: /^[^.]/ }, ({ path, importer, kind }) => {
        if (kind === 'entry-point' || path.startsWith('/')) return undefined;
        if (path === 'vitest' && importer !== runner) return { path: runner };
        const own = sourceOf(path);
        return own === undefined ? { path, external: true } : { path: join(root, own) };
      });
      // Each file keeps its own address: tests find programs and vectors by it.
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const text = replaced.get(relative(root, path)) ?? (await readFile(path, 'utf8'));
        const url = JSON.stringify(`file://${path}`);
        const start = path.endsWith('.test.ts') ? startOfTests : '';
        return {
          contents: start + text.replaceAll('import.meta.url', url),
          loader: 'ts',
          resolveDir: dirname(resolve(path)),
        };
      });
    },
  };
}

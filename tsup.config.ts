/**
 * The build: CommonJS once, in chunks that the entry points share, and a small ES module for each
 * entry point. docs/architecture.md has the alternatives and their figures.
 */

import { basename, dirname, join, relative } from 'node:path';
import { defineConfig, type Options } from 'tsup';
import { consolePlugin } from './src/testing/console/bundle.js';
import { entryPoints } from './src/entry-points.js';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];
type Build = Parameters<Plugin['setup']>[0];
type BuildResult = Awaited<ReturnType<Build['esbuild']['build']>>;
type Outputs = NonNullable<BuildResult['metafile']>['outputs'];

/** A file of the build, as an ES module. */
interface EsModule {
  readonly path: string;
  readonly text: string;
}

const target = 'node20';
/** Parsing more than this costs an entry point that does not need it more than loading another file. */
const smallChunkBytes = 10_000;
const sharedChunk = 'shared.js';

const code: Options = {
  entry: { ...entryPoints, bin: 'src/command-line/bin.ts' },
  format: 'esm', // esbuild shares chunks between ES modules only; the plugin translates them
  splitting: true,
  target,
  removeNodeProtocol: false, // without `node:`, Deno and bundlers look for a package of that name
  noExternal: ['zod', 'commander'], // compiled in; what is in `dependencies` stays outside
  esbuildPlugins: [consolePlugin, { name: 'commonjs', setup: writeCommonJs }],
};

const types: Options = {
  entry: Object.fromEntries(
    Object.entries(entryPoints).map(([name, file]) => [`${name}.code`, file]),
  ),
  format: 'cjs',
  // The banner brings Symbol.asyncDispose to consumers whose own settings lack it.
  dts: { only: true, banner: '/// <reference lib="esnext.disposable" />' },
};

export default defineConfig(({ dts }) => (dts === false ? [code] : [code, types]));

/** Writes each chunk as CommonJS, and the code of an entry point behind a file that names its exports. */
function writeCommonJs({ esbuild, onEnd }: Build): void {
  onEnd(async ({ outputFiles = [], metafile }) => {
    const outputs = metafile?.outputs ?? {};
    const files = await mergeSmallChunks(esbuild, outputFiles.splice(0), outputs);
    for (const { path, text } of files) {
      const { entryPoint, exports = [] } = outputs[relative('.', path)] ?? {};
      // esbuild keeps the comments of class members, and no others: the declarations have them.
      const bare = text.replace(/^ *\/\*\*(?:[^*]|\*(?!\/))*\*\/\n/gm, '');
      const { code } = await esbuild.transform(bare, {
        format: 'cjs',
        platform: 'node',
        target,
        banner: '"use strict";',
        supported: { 'dynamic-import': false }, // CommonJS in Jest has no import()
      });
      const base = path.slice(0, -'.js'.length);
      const name = basename(base);
      const write = (suffix: string, text: string) =>
        outputFiles.push({ path: base + suffix, text, contents: Buffer.from(text), hash: '' });

      const isEntry = Object.values(entryPoints).includes(entryPoint ?? '');
      write(isEntry ? '.code.cjs' : '.cjs', code.replace(/(require\("\.[^"]+)\.js"/g, '$1.cjs"'));
      if (!isEntry) continue;
      // Node scans a CommonJS file that an ES module imports: 45 ms for the client's code.
      const named = exports.map((name) => `exports.${name} = code.${name};\n`).join('');
      write('.cjs', `'use strict';\nconst code = require('./${name}.code.cjs');\n${named}`);
      const values = `export { ${exports.join(', ')} } from`;
      write('.js', `${values} './${name}.cjs';\n`);
      // The bundled declarations export each class as a value, also where the source exports its type.
      const declarations = `export type * from './${name}.code.cjs';\n${values} './${name}.code.cjs';\n`;
      write('.d.ts', declarations);
      write('.d.cts', declarations);
    }
  });
}

/**
 * esbuild makes a chunk for each set of entry points that share code, and each file takes a tenth of a
 * millisecond to load. The small ones that import nothing but each other become one.
 */
async function mergeSmallChunks(
  esbuild: Build['esbuild'],
  files: readonly EsModule[],
  outputs: Outputs,
): Promise<EsModule[]> {
  const small = findSmallChunks(files, outputs);
  const names = [...small.keys()];
  const contents = names.map((name) => `export * from './${name}';\n`).join('');
  const { outputFiles } = await esbuild.build({
    stdin: { contents },
    plugins: [readFrom(small)],
    bundle: true,
    write: false,
    format: 'esm',
    target,
    logOverride: { 'ambiguous-reexport': 'error' },
  });
  const [text, [first]] = [outputFiles![0]!.text, [...small.values()]];
  const others = files.filter((file) => !small.has(basename(file.path)));
  return [
    ...others.map(({ path, text }) => ({ path, text: importShared(text, small) })),
    { path: join(dirname(first!.path), sharedChunk), text },
  ];
}

function findSmallChunks(files: readonly EsModule[], outputs: Outputs): Map<string, EsModule> {
  const small = new Map<string, EsModule>();
  for (let known = -1; known < small.size;) {
    known = small.size;
    for (const file of files) {
      const { entryPoint, bytes, imports } = outputs[relative('.', file.path)]!;
      const isSmall = entryPoint === undefined && bytes < smallChunkBytes;
      const isClosed = imports.every(({ path }) => small.has(basename(path)));
      if (isSmall && isClosed) small.set(basename(file.path), file);
    }
  }
  return small;
}

function readFrom(chunks: ReadonlyMap<string, EsModule>): Plugin {
  const namespace = 'chunk';
  return {
    name: namespace,
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^\.\// }, ({ path }) => ({ path: basename(path), namespace }));
      onLoad({ filter: /^/, namespace }, ({ path }) => ({ contents: chunks.get(path)!.text }));
    },
  };
}

/** One statement for everything that a module imports of the small chunks. */
function importShared(text: string, small: ReadonlyMap<string, unknown>): string {
  const names: string[] = [];
  let from: string | undefined;
  const importOfChunk = /^import (?:\{([^}]*)\} from )?"(\.\.?)\/([^"]+)";\n/gm;
  const rest = text.replace(
    importOfChunk,
    (statement, named: string | undefined, folder: string, chunk: string) => {
      if (!small.has(chunk)) return statement;
      if (named !== undefined) names.push(named);
      from = `${folder}/${sharedChunk}`;
      return '';
    },
  );
  // An import holds wherever it stands, and the first line may be for the shell.
  return from === undefined ? text : `${rest}import {${names.join(',')}} from "${from}";\n`;
}

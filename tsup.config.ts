/**
 * The build: CommonJS once, in chunks that the entry points share, and a small ES module for each
 * entry point. docs/architecture.md has the alternatives and their figures.
 */

import { basename, relative } from 'node:path';
import { defineConfig, type Options } from 'tsup';
import { consolePlugin } from './src/testing/console/bundle.js';
import { entryPoints } from './src/entry-points.js';

type Build = Parameters<NonNullable<Options['esbuildPlugins']>[number]['setup']>[0];

const target = 'node20';

const code: Options = {
  entry: { ...entryPoints, bin: 'src/command-line/bin.ts' },
  format: 'esm', // esbuild shares chunks between ES modules only; the plugin translates them
  splitting: true,
  target,
  removeNodeProtocol: false, // without `node:`, Deno and bundlers look for a package of that name
  noExternal: ['zod'], // compiled in; what is in `dependencies` stays outside
  esbuildPlugins: [consolePlugin, { name: 'commonjs', setup: writeCommonJs }],
};

const types: Options = {
  entry: entryPoints,
  format: 'cjs',
  // The banner brings Symbol.asyncDispose to consumers whose own settings lack it.
  dts: { only: true, banner: '/// <reference lib="esnext.disposable" />' },
};

export default defineConfig(({ dts }) => (dts === false ? [code] : [code, types]));

/** Writes each chunk as CommonJS, and the code of an entry point behind a file that names its exports. */
function writeCommonJs({ esbuild, onEnd }: Build): void {
  onEnd(async ({ outputFiles = [], metafile }) => {
    for (const { path, text } of outputFiles.splice(0)) {
      const { entryPoint, exports = [] } = metafile?.outputs[relative('.', path)] ?? {};
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
      write('.js', `export { ${exports.join(', ')} } from './${name}.cjs';\n`);
      // The bundled declarations export each class as a value, also where the source exports its type.
      const values = `export { ${exports.join(', ')} } from './${name}.cjs';\n`;
      write('.d.ts', `export type * from './${name}.cjs';\n${values}`);
    }
  });
}

/**
 * The build: CommonJS once, in chunks that the entry points share, and a small ES module for each
 * entry point. docs/architecture.md has the alternatives and their figures.
 */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig, type Options } from 'tsup';
import { consoleFilesModule, consoleInputs, consolePlugin } from './src/testing/console/bundle.js';
import { entryPoints } from './src/entry-points.js';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

const target = 'node20';
/** The code and the types of an entry point are in the files behind those that name its exports. */
const codeEntries = Object.fromEntries(
  Object.entries(entryPoints).map(([name, file]) => [`${name}.code`, file]),
);

const code: Options = {
  entry: { ...codeEntries, bin: 'src/command-line/bin.ts' },
  format: 'esm', // esbuild shares chunks between ES modules only; the plugin translates them
  splitting: true,
  outExtension: () => ({ js: '.cjs' }),
  target,
  removeNodeProtocol: false, // without `node:`, Deno and bundlers look for a package of that name
  noExternal: ['zod', 'commander'], // compiled in; what is in `dependencies` stays outside
  esbuildPlugins: [consolePlugin, { name: 'commonjs', setup: writeCommonJs }],
};

const types: Options = {
  entry: codeEntries,
  format: 'cjs',
  // The banner brings Symbol.asyncDispose to consumers whose own settings lack it.
  dts: { only: true, banner: '/// <reference lib="esnext.disposable" />' },
};

export default defineConfig(({ dts }) => (dts === false ? [code] : [code, types]));

/**
 * Writes each chunk as CommonJS, and before the code of an entry point files that name its exports. tsup's
 * own way, `format: 'cjs'`, gives 14 % more to download: it keeps the comments of class members, which
 * the declarations have too, and writes each `?.` and `??` as a function.
 */
function writeCommonJs({ esbuild, onEnd }: Parameters<Plugin['setup']>[0]): void {
  onEnd(async ({ outputFiles = [], metafile }) => {
    const write = (path: string, text: string) =>
      outputFiles.push({ path, text, contents: Buffer.from(text), hash: '' });
    const outputs = Object.entries(metafile?.outputs ?? {});
    const compiledIn = new Map<string, CompiledIn>();
    for (const { path, text } of outputFiles.splice(0)) {
      const [, { inputs }] = outputs.find(([output]) => resolve(output) === path)!;
      const others = packagesOf(Object.keys(inputs));
      for (const each of others) compiledIn.set(each.name, each);
      const bare = text
        .replace(/^ *\/\*\*(?:[^*]|\*(?!\/))*\*\/\n/gm, '')
        // esbuild's `require` of an ES module. webpack warns of a `require` that it cannot follow; commander,
        // which is in the command only, asks for node's own modules.
        .replace(
          /^var __require = [^]*?^\}\);\n/m,
          'var __require = (name) => process.getBuiltinModule(name);\n',
        );
      const { code } = await esbuild.transform(bare, {
        format: 'cjs',
        platform: 'node',
        target,
        banner: `${others.map(legalComment).join('')}"use strict";`,
        // CommonJS in Jest has no import(). pg-boss is an ES module: a bundle of Next.js loads it with nothing else.
        supported: { 'dynamic-import': bare.includes('import("pg-boss")') },
      });
      write(path, code);
    }
    for (const [name, source] of Object.entries(entryPoints)) {
      // By the source: the tests build into another folder than dist.
      const [codePath, { exports }] = outputs.find(([, each]) => each.entryPoint === source)!;
      const path = codePath.slice(0, -'.code.cjs'.length);
      const file = name.split('/').at(-1);
      // Node scans a CommonJS file that an ES module imports: 45 ms for the client's code, as long as all else.
      const named = exports.map((name) => `exports.${name} = code.${name};\n`).join('');
      write(`${path}.cjs`, `'use strict';\nconst code = require('./${file}.code.cjs');\n${named}`);
      const values = `export { ${exports.join(', ')} } from`;
      write(`${path}.js`, `${values} './${file}.cjs';\n`);
      // The bundled declarations export each class as a value, also where the source exports its type.
      const declarations = `export type * from './${file}.code.cjs';\n${values} './${file}.code.cjs';\n`;
      write(`${path}.d.ts`, declarations);
      write(`${path}.d.cts`, declarations);
    }
    const folder = outputFiles[0]!.path.replace(/[^\\/]+$/, '');
    write(
      `${folder}bom.cdx.json`,
      `${JSON.stringify(bill([...compiledIn.keys()].sort().map((name) => compiledIn.get(name)!)))}\n`,
    );
  });
}

/** A package whose code is in the files of the build. */
interface CompiledIn {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The text of its license. */
  readonly notice: string;
}

function packagesOf(inputs: readonly string[]): CompiledIn[] {
  const isConsole = inputs.some((input) => consoleFilesModule.test(input));
  const folders = [...inputs, ...(isConsole ? consoleInputs : [])].flatMap(
    (input) =>
      /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\/|^node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(input) ??
      [],
  );
  return [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = readPackage(`${folder}package.json`);
    return { name, version, license, notice: readFileSync(`${folder}LICENSE`, 'utf8').trim() };
  });
}

type Package = Omit<CompiledIn, 'notice'>;

function readPackage(file: string): Package {
  return JSON.parse(readFileSync(file, 'utf8')) as Package;
}

/** Bundlers keep a comment of this form, and with it the notice that the license asks for. */
function legalComment({ name, version, notice }: CompiledIn): string {
  return `/*!\nWith parts of ${name} ${version}:\n${notice}\n*/\n`;
}

/** What is compiled in, for scanners (CycloneDX 1.6): no inventory of a project has it otherwise. */
function bill(compiledIn: readonly CompiledIn[]) {
  const component = ({ name, version, license }: Package) => {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    const licenses = [{ license: { id: license } }];
    return { type: 'library', 'bom-ref': purl, name, version, licenses, purl };
  };
  const own = component(readPackage('package.json'));
  const components = compiledIn.map(component);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: own },
    components,
    dependencies: [{ ref: own.purl, dependsOn: components.map(({ purl }) => purl) }],
  };
}

/**
 * The build. It is made for the download, which it brings from 198 kB to 129:
 *
 * - The client and the verifier are built once, as ES modules, and each file is then translated into
 *   its CommonJS twin of the same name in dist/cjs. npm packs files of one name side by side, and
 *   gzip, which looks 32 kB back, stores the second as copies of the first. That holds for files
 *   shorter than 32 kB, so the two doors are cut into parts, at half a millisecond of import time
 *   each (-37 kB).
 * - The emulator is CommonJS alone, behind a door for each format (-26 kB). Node reads a CommonJS
 *   file that ESM imports once more, slowly, to find its exports: here the door, in 4 ms, and not the
 *   emulator behind it, which would take 30 to 60.
 * - A line is a statement (-8 kB). gzip finds more repetitions than in lines that end at a column,
 *   and an uncaught error shows the statement that threw it.
 *
 * Names are not shortened. Comments are left to the types.
 */

import { basename, resolve } from 'node:path';
import { defineConfig, type Options } from 'tsup';
import ts from 'typescript';

type Build = Parameters<NonNullable<Options['esbuildPlugins']>[number]['setup']>[0];
type Result = Parameters<Parameters<Build['onEnd']>[0]>[0];
type Metafile = NonNullable<Result['metafile']>;

const doors = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  testing: 'src/testing/index.ts',
};

/**
 * A part holds these files and all that they import, save what an earlier part holds: so parts never
 * import each other in a circle. Each is named after the room that most of it comes from.
 * test/packages/check.mjs tells when one has grown too long.
 */
const parts: Readonly<Record<string, readonly string[]>> = {
  zod: ['src/input/rule.ts'],
  errors: [
    'src/errors/index.ts',
    'src/errors/of-call.ts',
    'src/transport/fetch.ts',
    'src/transport/undici.ts',
  ],
  input: ['src/input/index.ts'],
  protocol: ['src/protocol/explain.ts', 'src/protocol/sign.ts', 'src/engine/raw-request.ts'],
  engine: ['src/engine/engine.ts'],
  diagnosis: ['src/webhooks/diagnosis/explain-mismatch.ts'],
  emulator: ['src/testing/emulator.ts'],
};

/** The door of ./testing, the command, and the emulator behind both. */
const commonJsAlone = /^(testing|bin|emulator-\w+)\.js$/;

const syntax = { platform: 'node', target: 'node20', minifyWhitespace: true } as const;

export default defineConfig(({ dts }) => {
  const javaScript: Options = {
    ...syntax,
    format: ['esm'],
    entry: { ...doors, bin: 'src/testing/bin.ts' },
    splitting: true,
    // Parts of an earlier build would be packed too. Its types stay, for a build without types.
    clean: ['!**/*.d.cts'],
    // `node:` keeps Deno and bundlers from looking for a package of that name.
    removeNodeProtocol: false,
    // Everything in dependencies stays outside; zod/mini is compiled in.
    noExternal: ['zod'],
    esbuildPlugins: [
      { name: 'parts', setup: cutIntoParts },
      { name: 'formats', setup: writeBothFormats },
    ],
  };
  const types: Options = {
    format: ['cjs'],
    entry: doors,
    dts: {
      only: true,
      // Symbol.asyncDispose, for consumers whose own settings do not have it.
      banner: '/// <reference lib="esnext.disposable" />',
      compilerOptions: { stripInternal: true },
    },
  };
  return dts === false ? [javaScript] : [javaScript, types];
});

/**
 * esbuild puts those files into one chunk that the same entries need. So each part becomes an entry
 * that needs its own files and those of the parts before it; the entry itself is not written.
 */
function cutIntoParts(build: Build): void {
  const options = build.initialOptions;
  const names = Object.keys(parts);
  const filesUpTo = (part: string) =>
    names.slice(0, names.indexOf(part) + 1).flatMap((name) => parts[name] ?? []);

  options.entryPoints = {
    ...(options.entryPoints as Record<string, string>),
    ...Object.fromEntries(names.map((name) => [`part-${name}`, `part:${name}`])),
  };
  build.onResolve({ filter: /^part:/ }, ({ path }) => ({
    namespace: 'part',
    path: path.slice('part:'.length),
  }));
  build.onLoad({ filter: /.*/, namespace: 'part' }, ({ path }) => ({
    contents: filesUpTo(path)
      .map((file, index) => `import * as file${index} from './${file}';`)
      .join('\n'),
    resolveDir: process.cwd(),
  }));
}

/** Puts what is to be written in the place of what was built. */
function writeBothFormats(build: Build): void {
  const folder = resolve(build.initialOptions.outdir ?? 'dist');
  const toCommonJs = async (name: string, esm: string) => {
    const { code } = await build.esbuild.transform(esm, {
      ...syntax,
      format: 'cjs',
      // ES modules are strict without saying so.
      banner: '"use strict";',
      // undici is loaded with require: CommonJS in Jest has no import().
      supported: { 'dynamic-import': false },
      sourcefile: name,
    });
    return code;
  };

  build.onEnd(async (result) => {
    if (result.metafile === undefined) return;
    const files = new Map<string, string>();
    for (const [name, code] of builtFiles(result, result.metafile)) {
      if (!commonJsAlone.test(name)) files.set(name, oneStatementALine(code));
      files.set(`cjs/${name}`, oneStatementALine(await toCommonJs(name, code)));
    }
    files.set('cjs/package.json', '{"type":"commonjs"}\n');
    files.set('testing.js', testingDoor(result.metafile));
    // The types are downloaded once, too: those of ESM lead to those of CommonJS.
    for (const door of Object.keys(doors)) {
      files.set(`${door}.d.ts`, `export * from './${door}.cjs';\n`);
    }
    result.outputFiles = [...files].map(([name, text]) => ({
      path: resolve(folder, name),
      text,
      contents: Buffer.from(text),
      hash: '',
    }));
  });
}

/**
 * The code of each file by its name. A chunk is named after its part; its hash stays, so that a
 * build may replace files under a program that is loading them.
 */
function builtFiles({ outputFiles = [] }: Result, { outputs }: Metafile): Map<string, string> {
  const names = new Map<string, string>();
  for (const [path, { entryPoint, inputs }] of Object.entries(outputs)) {
    if (entryPoint?.startsWith('part:')) continue;
    const [part] = Object.entries(parts).find(([, [file = '']]) => file in inputs) ?? [];
    const name = basename(path);
    names.set(name, part === undefined ? name : name.replace(/^chunk-/, `${part}-`));
  }
  const renamed = (code: string) =>
    [...names].reduce((text, [from, to]) => text.replaceAll(`"./${from}"`, `"./${to}"`), code);

  return new Map(
    outputFiles.flatMap(({ path, text }) => {
      const name = names.get(basename(path));
      return name === undefined ? [] : [[name, renamed(text)]];
    }),
  );
}

/** The names are written out: behind `export *`, a bundler would look for them at run time. */
function testingDoor({ outputs }: Metafile): string {
  const built = Object.values(outputs).find(({ entryPoint }) => entryPoint === doors.testing);
  return `export { ${built?.exports.join(', ')} } from './cjs/testing.js';\n`;
}

/** A newline after a whole statement, or a member of a class, changes nothing. */
function oneStatementALine(code: string): string {
  const ends = new Set<number>();
  const visit = (node: ts.Node): void => {
    const isWhole = ts.isClassElement(node) || (ts.isStatement(node) && !ts.isBlock(node));
    // The last one of a block has lost its semicolon; its line ends with the block.
    if (isWhole && /[;}]/.test(code.charAt(node.end - 1))) ends.add(node.end);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('file.js', code, ts.ScriptTarget.ESNext));

  const cuts = [0, ...[...ends].sort((a, b) => a - b)];
  return cuts.map((from, index) => code.slice(from, cuts[index + 1])).join('\n');
}

import ts from 'typescript';
import { defineConfig, type Options } from 'tsup';

/** Doc comments belong to the types; in the JavaScript they would be a third of the download. */
const withoutComments: NonNullable<Options['plugins']>[number] = {
  name: 'without-comments',
  renderChunk: (code) => ({
    code: ts.transpileModule(code, {
      compilerOptions: { removeComments: true, target: ts.ScriptTarget.ESNext },
    }).outputText,
  }),
};

const doors = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  testing: 'src/testing/index.ts',
};

const common = {
  platform: 'node',
  target: 'node20',
  // `node:` keeps Deno and bundlers from looking for a package of that name.
  removeNodeProtocol: false,
  // Everything in dependencies stays outside; zod/mini is compiled in.
  noExternal: ['zod'],
  plugins: [withoutComments],
  dts: {
    entry: doors,
    // Symbol.asyncDispose, for consumers whose own settings do not have it.
    banner: '/// <reference lib="esnext.disposable" />',
    compilerOptions: { stripInternal: true },
  },
} satisfies Options;

export default defineConfig([
  // The command line shares the emulator with ./testing.
  { ...common, entry: { ...doors, bin: 'src/testing/bin.ts' }, format: ['esm'], splitting: true },
  // With splitting, CommonJS would be rewritten by a tool that replaces `?.` and `??` by calls of
  // helpers. The doors share no code here, only types.
  { ...common, entry: doors, format: ['cjs'], splitting: false },
]);

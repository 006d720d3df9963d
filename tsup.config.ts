import { writeFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';

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
  // Comments and indentation are a third of the download and belong to the types. Names stay, and
  // lines stay short, so that a stack trace still tells where it was.
  minifyWhitespace: true,
  esbuildOptions: (options) => {
    options.lineLimit = 120;
  },
} satisfies Options;

export default defineConfig(({ outDir = 'dist' }) => [
  {
    ...common,
    format: ['esm'],
    // The command line shares the emulator with ./testing.
    entry: { ...doors, bin: 'src/testing/bin.ts' },
    splitting: true,
    // The types are written once, beside the CommonJS; these lead ESM to them.
    onSuccess: async () => {
      for (const door of Object.keys(doors)) {
        writeFileSync(`${outDir}/${door}.d.ts`, `export * from './${door}.cjs';\n`);
      }
    },
  },
  {
    ...common,
    format: ['cjs'],
    entry: doors,
    // With splitting, CommonJS would be rewritten by a tool that replaces `?.` and `??` by calls of
    // helpers. The doors share no code here, only types.
    splitting: false,
    dts: {
      // Symbol.asyncDispose, for consumers whose own settings do not have it.
      banner: '/// <reference lib="esnext.disposable" />',
      compilerOptions: { stripInternal: true },
    },
  },
]);

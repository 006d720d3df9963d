import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    webhooks: 'src/webhooks/index.ts',
    testing: 'src/testing/index.ts',
  },
  format: ['esm', 'cjs'],
  platform: 'node',
  target: 'node20',
  dts: true,
  clean: true,
  // One copy of each error class for all three doors.
  splitting: true,
  // `node:` keeps Deno and bundlers from looking for a package of that name.
  removeNodeProtocol: false,
  // Everything in dependencies stays outside; zod/mini is compiled in.
  noExternal: ['zod'],
  treeshake: true,
});

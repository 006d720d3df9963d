import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.js';

const { MUTATED_SOURCE: source, MUTATED_TEXT: text } = process.env;

/** vitest's own configuration, with one source file replaced. */
export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  ...(base.resolve === undefined ? {} : { resolve: base.resolve }),
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      load(id: string) {
        return id === source && text !== undefined ? readFileSync(text, 'utf8') : undefined;
      },
    },
  ],
  test: { include: ['test/**/*.test.ts'], testTimeout: 20_000 },
});

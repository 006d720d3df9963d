import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    // Tests speak the package's public names and run its source.
    alias: [
      { find: /^market-partner-sdk$/, replacement: source('index.ts') },
      { find: /^market-partner-sdk\/webhooks$/, replacement: source('webhooks/index.ts') },
      { find: /^market-partner-sdk\/testing$/, replacement: source('testing/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    testTimeout: 20_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      thresholds: { lines: 95, branches: 95 },
    },
  },
});

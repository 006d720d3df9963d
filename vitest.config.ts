import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { consoleFilesModule, consoleFilesSource } from './src/testing/console/bundle.js';
import { entryPoints } from './src/entry-points.js';

/** Processes that are killed and frozen: on two engines at once they still leave nothing undone. */
const crashes = ['test/durable/crash.test.ts', 'test/durable/servers/pg-boss-crash.test.ts'];

/** Leases of under a second: beside more than one other file they would measure the machine. */
const leases = [
  'test/durable/engine-checks.test.ts',
  'test/durable/node-sqlite.test.ts',
  'test/durable/servers/{bullmq,pg-boss}*.test.ts',
  'test/faults/time/*.test.ts',
];

/**
 * Programs that are killed and started again, pages in a browser, what needs a server, and what measures the CPU
 * time or the memory of its process: minutes together.
 * `npm test` leaves them, `leases` and `crashes` out.
 */
const long = [
  'test/command-line/rehearse/*.test.ts',
  'test/docs/{site,walk}.test.ts',
  'test/durable/servers/{compose,durable-command,examples,lying-service,sqlite-types}.test.ts',
  'test/examples/{assistant,emulated,go-live,hostile-requests,real-service,rehearsal,shop,shop-operator}.test.ts',
  'test/faults/{endurance,guide}/*.test.ts',
  'test/testing/console/*.test.ts',
  'test/webhooks/{explain-mismatch,memory}.test.ts',
  'test/client/results/memory.test.ts',
  'test/testing/body-memory.test.ts',
];

/**
 * They replace a module, which another file of the same thread would get too, or print a promise, which
 * AsyncLocalStorage of another file would add to.
 */
const isolated = [
  'test/client/extended-prototype.test.ts',
  'test/client/calls/stack-traces.test.ts',
  'test/client/calls/retries/undici-transport.test.ts',
  'test/client/protocol/sign.test.ts',
  'test/testing/{control-console,faults}.test.ts',
  'test/webhooks/framework-examples{,-end-to-end}.test.ts',
];

/** Those of each group that take the longest: one that began last would be waited for alone. */
const longest = [
  'test/docs/types.test.ts',
  'test/faults/money/money.test.ts',
  'test/faults/sockets/sockets.test.ts',
  'test/command-line/rehearse/mistakes.test.ts',
  'test/examples/go-live.test.ts',
  'test/faults/guide/guide.test.ts',
  'test/command-line/rehearse/never-green.test.ts',
  'test/examples/shop.test.ts',
];

/** A first run has no times of an earlier one to go by, as each run of CI: Vitest then goes by the files' sizes. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((path) => moduleId.endsWith(path));
      return at === -1 ? longest.length : at;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

interface Files {
  readonly include: string[];
  readonly exclude?: string[];
  readonly pool?: 'threads';
  readonly isolate?: boolean;
  readonly maxWorkers?: number;
  /** How many tests of a `describe.concurrent` run at once. */
  readonly maxConcurrency?: number;
  readonly groupOrder?: number;
  readonly testTimeout?: number;
}

/** Unless it says otherwise, its files run beside those of its group, one more than there are cores: they wait more than they work. */
function project(
  name: string,
  { include, exclude = [], ...files }: Files,
): TestProjectInlineConfiguration {
  const {
    pool = 'forks',
    isolate = true,
    maxWorkers = availableParallelism() + 1,
    maxConcurrency = 5,
    groupOrder = 0,
  } = files;
  const { testTimeout = 20_000 } = files;
  const own = [...exclude, '**/node_modules/**'];
  return {
    extends: true,
    test: {
      name,
      include,
      exclude: own,
      pool,
      isolate,
      maxWorkers,
      maxConcurrency,
      testTimeout,
      sequence: { groupOrder },
    },
  };
}

export default defineConfig({
  // The emulator of the tests serves the console, as the built one does.
  plugins: [
    {
      name: 'console',
      enforce: 'pre',
      load: (id: string) => (consoleFilesModule.test(id) ? consoleFilesSource() : undefined),
    },
  ],
  resolve: {
    // Tests import the package's public names and run its source.
    alias: [
      ...Object.entries(entryPoints).map(([name, path]) => ({
        find: new RegExp(`^market-partner-sdk${name === 'index' ? '' : `/${name}`}$`),
        replacement: fileURLToPath(new URL(path, import.meta.url)),
      })),
      // The engine imports it by its name, as it is in a partner's project.
      {
        find: /^pg-boss$/,
        replacement: fileURLToPath(
          new URL('test/durable/servers/node_modules/pg-boss', import.meta.url),
        ),
      },
    ],
  },
  test: {
    setupFiles: ['test/support/restore.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      project('quick', {
        include: ['test/**/*.test.ts'],
        exclude: [...isolated, ...long, ...leases, ...crashes],
        // None of these files needs a process of its own, and to load the source for each would take most of the time.
        pool: 'threads',
        isolate: false,
      }),
      project('isolated', { include: isolated, pool: 'threads' }),
      // After the quick ones: beside them its programs would wait for the processor until their time is up.
      project('long', { include: long, groupOrder: 1, maxConcurrency: 8, testTimeout: 60_000 }),
      project('leases', { include: leases, exclude: crashes, maxWorkers: 2, groupOrder: 2 }),
      project('crashes', { include: crashes, maxWorkers: 2, maxConcurrency: 3, groupOrder: 3 }),
    ],
    globalSetup: ['test/support/build.ts', 'test/durable/support/start-postgres.ts'],
    // .ci/run prints the counts of this file as its last line.
    reporters: ['default', ['json', { outputFile: 'coverage/results.json' }]],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.{ts,tsx}'],
      exclude: [
        // They run only in a browser: test/testing/console opens them.
        'src/testing/console/main.tsx',
        'src/testing/console/views/**',
      ],
      thresholds: { lines: 95, branches: 95 },
    },
  },
});

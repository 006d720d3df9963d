// The tests of the client and of webhooks under Bun, but for those that cannot hold there.

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../packed-project.mjs';

/** Files with tests that fail in Bun, and why. */
const failing = {
  'test/client/calls/built-stack-traces.test.ts': 'stacks are written otherwise',
  'test/client/calls/proxy.test.ts': 'the option is refused, and tested in the matrix',
  'test/client/calls/retries/aborts.test.ts':
    "uses an Agent of undici, and counts the timers of Bun's own",
  'test/client/calls/retries/undici-transport.test.ts': 'uses Agent and MockAgent of undici',
  'test/client/calls/stack-traces.test.ts':
    'a stack does not go on beyond an asynchronous iterator',
  'test/client/calls/tls.test.ts': 'uses Agent and ProxyAgent of undici',
  'test/client/display/format-amount.test.ts':
    'its Intl knows fewer currencies, others with ISO decimals',
  'test/client/errors/redact.test.ts': 'needs the garbage collector of V8',
  'test/client/options/config.test.ts': 'uses an Agent of undici',
  'test/client/results/memory.test.ts': 'needs the garbage collector of V8',
  'test/client/transport/informational.test.ts': 'its fetch does not repeat after a status of 421',
  'test/client/transport/sockets.test.ts': 'the option proxy is refused',
  'test/client/transport/tiny-chunks.test.ts': 'needs the garbage collector of V8',
  'test/webhooks/handler.test.ts': 'its timers cannot be listed',
  'test/webhooks/memory.test.ts': 'needs the garbage collector of V8',
  'test/webhooks/standalone.test.ts': 'its built-ins cannot be listed',
};

/** Runs them, and compares the files that fail with the list: a file that passes must leave it. */
export function runBunSuite(program) {
  const results = join(root, 'coverage/results.json'); // where vitest.config.ts writes it
  rmSync(results, { force: true });
  try {
    run(
      program,
      [
        join(root, 'node_modules/vitest/vitest.mjs'),
        ...['run', 'test/client', 'test/webhooks', '--reporter=json', '--silent'],
      ],
      root,
      { NO_COLOR: '1' },
      600_000,
    );
  } catch (error) {
    if (!error.message.includes(' failed\n')) throw error;
  }
  const { numPassedTests, numTotalTests, testResults } = JSON.parse(readFileSync(results, 'utf8'));
  const failed = testResults
    .filter(({ status }) => status !== 'passed')
    .map(({ name }) => name.slice(root.length));
  assert.deepEqual(failed.sort(), Object.keys(failing).sort());
  return `${numPassedTests} of ${numTotalTests} tests; ${failed.length} files have tests that cannot pass`;
}

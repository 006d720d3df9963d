/** The built package: an error's stack has the caller's function, and the source's own names. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Nothing listens on port 9: each call fails with a ConnectionError. */
const program = `
const options = { keyId: 'mk_sandbox_1f0c', secret: 'the secret of this test', maxRetries: 0 };
const market = new MarketClient({ baseUrl: 'http://127.0.0.1:9', ...options });
const input = { domain: 'brew.example', expected_price: 1 };
const calls = {
  async partnersGet() { await market.orders.get('ord_1'); },
  async partnersCreate() { await market.orders.create(input).withResponse(); },
  async partnersList() { await market.orders.list(); },
  async partnersLoop() { for await (const order of market.orders.list()) console.log(order); },
  async partnersToArray() { await market.orders.list().toArray(); },
  async partnersRequest() { await market.request({ path: '/orders/ord_1' }); },
  async partnersCheck() {
    for await (const { error } of market.domains.checkMany(['brew.example'])) throw error;
  },
};
const stacks = {};
for (const [name, call] of Object.entries(calls)) {
  await call().catch((error) => { stacks[name] = error.stack; });
}
console.log(JSON.stringify(stacks));
`;

const formats = {
  import: `import { MarketClient } from 'market-partner-sdk';${program}`,
  require: `const { MarketClient } = require('market-partner-sdk');(async () => {${program}})();`,
};

describe('the built package', () => {
  it.each(Object.entries(formats))('shows the caller in each stack: %s', async (format, script) => {
    const type = format === 'import' ? 'module' : 'commonjs';
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [`--input-type=${type}`, '-e', script],
      { cwd: root, timeout: 15_000 },
    );
    const stacks = JSON.parse(stdout) as Record<string, string>;
    expect(Object.keys(stacks)).toHaveLength(7);
    for (const [name, stack] of Object.entries(stacks)) {
      expect(stack).toMatch(/^ConnectionError: /);
      expect(stack).toContain(name);
      // The frames of the package have the names of its source.
      expect(stack).toMatch(/at connectionError \(.*dist/);
    }
  });

  it('is not minified: an uncaught error prints one statement', () => {
    const code = readFileSync(`${root}dist/index.code.cjs`, 'utf8');
    const longest = Math.max(...code.split('\n').map((line) => line.length));
    expect(longest).toBeLessThan(300);
  });
});

/** examples/resume-after-crash.mjs killed at each of its requests: the next run finds one order, or places it. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { MarketClient } from 'market-partner-sdk';
import { fault, MarketEmulator } from 'market-partner-sdk/testing';
import { readJournal, runProgram, type Running } from './run-program.js';

const example = fileURLToPath(new URL('../../../examples/resume-after-crash.mjs', import.meta.url));

it.skipIf(process.platform === 'win32').each([
  ['before', 1],
  ['after', 1],
  ['before', 2],
  ['after', 2],
] as const)('sells once where it dies %s the work of request %i', async (moment, request) => {
  await using emulator = await MarketEmulator.start();
  const { keyId, secret } = emulator.createCredential();
  const { baseUrl } = emulator;
  const env = { MARKET_BASE_URL: baseUrl, MARKET_KEY_ID: keyId, MARKET_SECRET: secret };
  const folder = await mkdtemp(join(tmpdir(), 'market-example-'));
  const journal = join(folder, 'sale.json');
  const running: Running = {};
  let left: number = request;
  emulator.faults.on(
    () => (left -= 1) === 0 && running.child?.kill('SIGKILL') === true,
    moment === 'after' ? fault.resetAfterWork() : fault.resetBeforeWork(),
    { times: 1 },
  );
  try {
    expect((await runProgram([example, journal], env, running)).isKilled).toBe(true);
    // And once more where the response is known, and not stored.
    expect((await runProgram([example, journal, 'dies'], env)).isKilled).toBe(true);
    expect((await runProgram([example, journal], env)).isKilled).toBe(false);
    await using market = new MarketClient({ baseUrl, keyId, secret });
    const orders = await market.orders.list().toArray();
    expect(orders).toHaveLength(1);
    expect(await readJournal(journal)).toMatchObject({
      order: { public_id: orders[0]?.public_id },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

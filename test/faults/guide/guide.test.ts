/**
 * docs/orders.md followed to the letter by a program that dies of SIGKILL between every two of
 * its lines, against an emulator that loses responses: one order for the payment, and the journal says so.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MarketClient, type Order } from 'market-partner-sdk';
import { fault, MarketEmulator, type Fault } from 'market-partner-sdk/testing';
import { forEachOf, readJournal, runProgram, type Running } from './run-program.js';

const program = fileURLToPath(new URL('./sell.mjs', import.meta.url));
const listing = { domain: 'brew.example', price_cents: 250_000 };
const maxRuns = 8;
const parallel = 10;

/** How the first two responses to POST /orders are lost; with each, the first look-up is lost too. */
const lossesOf: Readonly<Record<string, Fault | undefined>> = {
  'nothing is lost': undefined,
  'a reset after the work': fault.resetAfterWork(),
  'a 500 after the work': fault.internalError({ afterWork: true }),
  "a gateway's 404 page after the work": fault.html(404, { afterWork: true }),
};

/** Where the first and the second run of the program die: one chain for each of its lines. */
const chains: readonly (readonly string[])[] = [
  [],
  ['read the journal'],
  ['quote'],
  ['store the payment'],
  ['commit the payment'],
  ['create'],
  ['request in flight'],
  ['store the order'],
  ['commit the order'],
  ['close', 'close'],
  ['store the order', 'resume'],
  ['store the order', 'store the result'],
  ['store the order', 'commit the result'],
];

const beforePayment = ['read the journal', 'quote', 'store the payment', 'commit the payment'];

/** Before the payment nothing of the sale is sent: a lost response changes nothing. */
const chainsOfLosses = chains.filter(([line = '']) => !beforePayment.includes(line));

describe.skipIf(process.platform === 'win32')('the guide on selling a domain', () => {
  it.each(Object.keys(lossesOf))(
    'sells once where the program dies at any line: %s',
    { timeout: 120_000 },
    async (loss) => {
      const isLossless = lossesOf[loss] === undefined;
      const ends = await runAll(loss, isLossless ? chains : chainsOfLosses, {});
      for (const end of ends) {
        const [order] = end.orders;
        expect(end.orders, `${end.name}: orders`).toHaveLength(1);
        expect(order?.external_payment_ref).toBe('payment-1001');
        expect(end.journal, end.name).toMatchObject({ publicId: order?.public_id });
      }
      const reached = isLossless ? chains.flat() : ['request in flight', 'resume'];
      expect(ends.flatMap((end) => end.died)).toEqual(expect.arrayContaining(reached));
    },
  );

  it.each(['a reset after the work', "a gateway's 404 page after the work"])(
    'sells nothing at a price that the service refuses: %s',
    { timeout: 120_000 },
    async (loss) => {
      for (const end of await runAll(loss, chainsOfLosses, { PAID: '240000' })) {
        expect(end.orders, `${end.name}: orders`).toEqual([]);
        expect(end.journal, end.name).toMatchObject({ refused: 'price_mismatch' });
      }
    },
  );
});

/** How a sale ended, and at which lines its program died. */
interface SaleEnd {
  readonly name: string;
  readonly died: readonly string[];
  readonly journal: Readonly<Record<string, unknown>>;
  readonly orders: readonly Order[];
}

/** Runs every chain, a few at once: most of a refused sale is the pause between two look-ups. */
async function runAll(
  loss: string,
  chosen: typeof chains,
  env: Readonly<Record<string, string>>,
): Promise<SaleEnd[]> {
  const ends: SaleEnd[] = [];
  await forEachOf(chosen, parallel, async (chain) => {
    ends.push(await runChain(chain, loss, env));
  });
  expect(ends).toHaveLength(chosen.length);
  return ends;
}

/** Starts the program again and again, until its journal holds an end. */
async function runChain(
  chain: readonly string[],
  loss: string,
  env: Readonly<Record<string, string>>,
): Promise<SaleEnd> {
  await using emulator = await MarketEmulator.start({ inventory: [listing] });
  const { keyId, secret } = emulator.createCredential();
  const folder = await mkdtemp(join(tmpdir(), 'market-guide-'));
  const journalPath = join(folder, 'sale.json');
  const running: Running = {};
  const died: string[] = [];
  armFaults(emulator, chain, lossesOf[loss], running);
  try {
    for (let run = 0; run < maxRuns; run += 1) {
      // Listed again: only the key and the look-up prevent a second order.
      emulator.admin.list(listing);
      const variables = {
        ...env,
        MARKET_BASE_URL: emulator.baseUrl,
        MARKET_KEY_ID: keyId,
        MARKET_SECRET: secret,
        KILL_AT: chain[run] ?? '',
      };
      const { isKilled } = await runProgram([program, journalPath], variables, running);
      if (isKilled) died.push(chain[run] ?? 'nowhere');
      const journal = await readJournal(journalPath);
      const isOver = journal.publicId !== undefined || journal.refused !== undefined;
      if (isOver && run + 1 >= chain.length) break;
    }
    emulator.faults.clear();
    await using market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });
    const orders = await market.orders.list({ domain: listing.domain }).toArray();
    const name = `${chain.join(', ')} with ${loss}`;
    return { name, died, journal: await readJournal(journalPath), orders };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function armFaults(
  emulator: MarketEmulator,
  chain: readonly string[],
  lost: Fault | undefined,
  running: Running,
): void {
  if (chain.includes('request in flight')) {
    const killsSender = ({ endpoint }: { readonly endpoint?: string | undefined }) =>
      endpoint === 'POST /orders' && running.child?.kill('SIGKILL') === true;
    emulator.faults.on(killsSender, fault.resetAfterWork(), { times: 1 });
  }
  if (lost === undefined) return;
  emulator.faults.on('POST /orders', lost, { times: 2 });
  emulator.faults.on('GET /orders', fault.html(), { times: 1 });
}

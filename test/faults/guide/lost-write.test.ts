/**
 * The guides on refunds and on brokerage cases followed to the letter by a program that dies of SIGKILL
 * between every two of its lines, and at requests that a seed chooses: nothing is sent twice, and the
 * journal says what happened. `SEED=17` runs one seed; `SCHEDULES=100000` (npm run soak) runs 200.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MarketClient } from 'market-partner-sdk';
import { fault, MarketEmulator, type Fault } from 'market-partner-sdk/testing';
import { Random } from '../simulation/random.js';
import { forEachOf, readJournal, runProgram, type Running } from './run-program.js';

const program = fileURLToPath(new URL('./lost-write.mjs', import.meta.url));
const parallel = 8;
const maxRuns = 10;
const writeOf = { refund: 'POST /refunds', case: 'POST /brokerage' } as const;
type Kind = keyof typeof writeOf;

const { SEED: only, SCHEDULES: schedules = 3_000 } = process.env;
const seeds =
  only === undefined
    ? Array.from({ length: Math.ceil(Number(schedules) / 500) }, (_, at) => at)
    : [Number(only)];

const losses: Readonly<Record<string, Fault | undefined>> = {
  'nothing is lost': undefined,
  'a reset before the work': fault.resetBeforeWork(),
  'a reset after the work': fault.resetAfterWork(),
  'a 500 after the work': fault.internalError({ afterWork: true }),
  "a gateway's 404 page after the work": fault.html(404, { afterWork: true }),
};

/** Where the runs of the program die. */
const chains: readonly (readonly string[])[] = [
  [],
  ['read the journal', 'store the request', 'commit the request'],
  ['send', 'resume', 'store the result'],
  ['request in flight', 'commit the result', 'close'],
  ['store the end', 'resume', 'commit the result'],
  ['commit the end', 'read the journal', 'close'],
];

/** One program until its end: what it stored, and what the service received. */
interface Ended {
  readonly end: unknown;
  readonly died: readonly string[];
  readonly sent: number;
  readonly done: number;
}

interface Plan {
  readonly chain: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Prepares the faults of the service. */
  readonly arm: (emulator: MarketEmulator, running: Running) => void;
}

async function follow(kind: Kind, { chain, env = {}, arm }: Plan): Promise<Ended> {
  await using emulator = await MarketEmulator.start({
    inventory: [{ domain: 'brew.example', price_cents: 250_000 }],
  });
  const { keyId, secret } = emulator.createCredential();
  await using market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });
  const sold = { domain: 'brew.example', expected_price: 250_000 };
  const { public_id: publicId } = await market.orders.create(sold);
  const folder = await mkdtemp(join(tmpdir(), 'market-lost-write-'));
  const journal = join(folder, 'request.json');
  const running: Running = {};
  const died: string[] = [];
  arm(emulator, running);
  try {
    for (let run = 0; run < maxRuns; run += 1) {
      const { isKilled } = await runProgram(
        [program, journal, kind],
        {
          ...env,
          MARKET_BASE_URL: emulator.baseUrl,
          MARKET_KEY_ID: keyId,
          MARKET_SECRET: secret,
          PUBLIC_ID: publicId,
          KILL_AT: chain[run] ?? '',
        },
        running,
      );
      if (isKilled) died.push(chain[run] ?? 'a request');
      const { end } = await readJournal(journal);
      if (end !== undefined && end !== 'open' && run + 1 >= chain.length) break;
    }
    emulator.faults.clear();
    const { end } = await readJournal(journal);
    const [method, path = ''] = writeOf[kind].split(' ');
    const sent = emulator.requests.filter(
      (request) => request.method === method && request.path.endsWith(path),
    ).length;
    const { status } = await market.orders.get(publicId);
    const cases = await market.brokerage.listCases().toArray();
    const done = kind === 'case' ? cases.length : Number(status === 'REFUNDED');
    return { end, died, sent, done };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Kills the program while a request of it is under way, before or after the service did its work. */
function killAt(
  isDue: (request: { readonly endpoint?: string | undefined }) => boolean,
  isAfterWork: boolean,
  running: Running,
  emulator: MarketEmulator,
): void {
  emulator.faults.on(
    (request) => isDue(request) && running.child?.kill('SIGKILL') === true,
    isAfterWork ? fault.resetAfterWork() : fault.resetBeforeWork(),
    { times: 1 },
  );
}

/** What an end may say of what was done. */
const truthOf: Readonly<Record<string, number>> = {
  done: 1,
  refunded: 1,
  opened: 1,
  attention: 0,
};

function expectTruth({ end, sent, done }: Ended, most: number, name: string): void {
  expect({ end, done, isTrue: truthOf[String(end)] === done }, name).toMatchObject({
    isTrue: true,
  });
  expect(sent, `${name}: requests`).toBeLessThanOrEqual(most);
}

describe.skipIf(process.platform === 'win32').each(['refund', 'case'] as const)(
  'the guide on a lost %s',
  (kind) => {
    it('sends once where the program dies at any line', { timeout: 240_000 }, async () => {
      const died = new Set<string>();
      const plans = Object.entries(losses).flatMap(([loss, lost]) =>
        chains.map((chain) => ({ chain, loss, lost })),
      );
      await forEachOf(plans, parallel, async ({ chain, loss, lost }) => {
        const arm: Plan['arm'] = (emulator, running) => {
          const isWrite = ({ endpoint }: { readonly endpoint?: string | undefined }) =>
            endpoint === writeOf[kind];
          if (chain.includes('request in flight')) killAt(isWrite, true, running, emulator);
          if (lost !== undefined) emulator.faults.on(writeOf[kind], lost, { times: 1 });
        };
        const ended = await follow(kind, { chain, arm });
        expectTruth(ended, 1, `${kind}: ${chain.join(', ')} with ${loss}`);
        for (const line of ended.died) died.add(line);
      });
      const lines = chains.flat().filter((line) => line !== 'request in flight');
      expect([...died].sort()).toEqual([...new Set([...lines, 'request in flight'])].sort());
    });

    it(
      `tells the truth where it dies at requests that ${seeds.length} seeds choose`,
      { timeout: 3_600_000 },
      async () => {
        await forEachOf(seeds, parallel, async (seed) => {
          const random = new Random(seed);
          const repeat = random.pick(['never', 'accept']);
          const arm: Plan['arm'] = (emulator, running) => {
            for (let kills = random.integer(1, 3); kills > 0; kills -= 1) {
              let left = random.integer(1, 4);
              const isDue = () => (left -= 1) === 0;
              killAt(isDue, random.chance(0.5), running, emulator);
            }
          };
          const ended = await follow(kind, { chain: [], env: { REPEAT: repeat }, arm });
          // The emulator refuses a second refund or case: what counts is what was sent for it.
          expectTruth(ended, repeat === 'accept' ? 4 : 1, `SEED=${seed} ${kind} ${repeat}`);
        });
      },
    );

    it("is done once with an operator's repeat: 'accept'", async () => {
      const ended = await follow(kind, {
        chain: ['send', 'store the result'],
        env: { REPEAT: 'accept' },
        arm: () => undefined,
      });
      expect(ended).toMatchObject({ sent: 1, done: 1 });
      expect(['refunded', 'opened']).toContain(ended.end);
    });
  },
);

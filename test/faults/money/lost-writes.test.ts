/**
 * Seeded schedules of a refund and of a brokerage case: the request is lost, its response is, or the
 * service acts on it minutes after the client gave up; then it is resumed, with and without
 * `repeat: 'accept'`, against reads that fail or lie. `SEED=17 npx vitest run test/faults/money/lost-writes`
 * runs one again; `SCHEDULES=100000` (npm run soak) runs 10,000 of each kind.
 */

import { afterAll, describe, expect, it } from 'vitest';
import { MarketClient } from 'market-partner-sdk';
import { fakeSleep } from '../../support/virtual-time.js';
import { Random } from '../simulation/random.js';
import { caseInput, refundInput, startedAt, WriteLedger } from './write-ledger.js';

const {
  SEED: only,
  FIRST: first = 0,
  SCHEDULES: schedules = 3_000,
  FIGURES: figures,
} = process.env;
const seeds =
  only === undefined
    ? Array.from({ length: Math.ceil(Number(schedules) / 10) }, (_, at) => Number(first) + at)
    : [Number(only)];

const ends = new Map<string, number>();
const count = (what: string) => ends.set(what, (ends.get(what) ?? 0) + 1);
afterAll(() => {
  if (figures === undefined) return;
  console.log(`seeds ${seeds[0]} to ${seeds.at(-1)}:`, Object.fromEntries([...ends].sort()));
});

describe(`a refund and a case whose response is lost, in ${seeds.length} schedules`, () => {
  it(
    "are never sent again, and never told untruly, without repeat: 'accept'",
    { timeout: 3_600_000 },
    async () => {
      expect(await runAll(() => 'never')).toEqual([]);
      if (only !== undefined) return;
      const states = ['refunded', 'opened', 'refused', 'open', 'attention'];
      expect([...ends.keys()]).toEqual(expect.arrayContaining(states));
    },
  );

  it(
    "are done twice with repeat: 'accept' only where the first was still on its way",
    { timeout: 3_600_000 },
    async () => {
      expect(await runAll((random) => (random.chance(0.5) ? 'accept' : 'never'))).toEqual([]);
      if (only === undefined) expect(ends.get('done twice, as accepted')).toBeGreaterThan(0);
    },
  );
});

type Repeat = 'never' | 'accept';

async function runAll(repeatOf: (random: Random) => Repeat): Promise<string[]> {
  const untrue: string[] = [];
  for (const seed of seeds) {
    for (const violation of await runSchedule(new Random(seed), repeatOf)) {
      untrue.push(`SEED=${seed} ${violation}`);
    }
  }
  return untrue.slice(0, 20);
}

/** What was untrue in one schedule. */
async function runSchedule(random: Random, repeatOf: (random: Random) => Repeat) {
  const ledger = new WriteLedger(random);
  const market = clientOf(ledger);
  const isRefund = random.chance(0.5);
  const done = () => (isRefund ? ledger.refunds : ledger.cases);
  const violations: string[] = [];
  const write = isRefund ? market.orders.refund(refundInput) : market.brokerage.openCase(caseInput);
  await Promise.resolve(write).catch(() => undefined);

  // A repeat while the first was on its way may do it twice, where the service takes both.
  let mayBeTwice = false;
  let wasRefused = false;
  for (let resumes = random.integer(1, 4); resumes >= 0; resumes -= 1) {
    ledger.advance(random.integer(0, 20) * 60_000);
    const repeat = repeatOf(random);
    ledger.calm = resumes === 0;
    const [before, wasOnItsWay] = [ledger.sent, ledger.isOneOnItsWay];
    const { state } = isRefund
      ? await market.orders.resumeRefund({ input: refundInput, startedAt }, { repeat })
      : await market.brokerage.resumeCase({ input: caseInput, startedAt }, { repeat });
    count(state);
    const sent = ledger.sent - before;
    mayBeTwice ||= sent > 0 && wasOnItsWay && !ledger.refusesTwice;
    wasRefused ||= state === 'refused';
    const note = (what: string) => violations.push(`${state}, ${repeat}: ${what}`);
    if (sent > (repeat === 'accept' ? 1 : 0)) note(`sent ${sent} times`);
    if ((state === 'refunded' || state === 'opened') && done() === 0) note('it was not done');
    if (state === 'refused' && isRefund && ledger.canBeRefunded) note('it can still be refunded');
    // In calm, what was done is found.
    const isFound = state === 'refunded' || state === 'opened' || (!isRefund && done() > 1);
    if (ledger.calm && done() > 0 && !isFound) note('it was done, and everything can be read');
  }
  // Whatever was on its way has arrived.
  ledger.advance(24 * 3_600_000);
  if (wasRefused && done() > 0) violations.push('it was refused, and done');
  if (done() > 1 && !mayBeTwice) violations.push(`it was done ${done()} times`);
  if (done() > 1) count('done twice, as accepted');
  return violations;
}

function clientOf(ledger: WriteLedger): MarketClient {
  return new MarketClient({
    baseUrl: 'https://market.example',
    keyId: 'mk_sandbox_1f0c',
    secret: 'of these tests',
    maxRetries: 0,
    validateResponses: 'off',
    sleep: fakeSleep((ms) => ledger.advance(ms)),
    clock: () => ledger.nowMs,
    fetch: (url, { method }) => {
      const response = ledger.handle(method, new URL(url).pathname);
      return response === undefined
        ? Promise.reject(new TypeError('fetch failed'))
        : Promise.resolve(response);
    },
  });
}

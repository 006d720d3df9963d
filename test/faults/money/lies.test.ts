/**
 * A service that lies about its orders, each lie alone and in pairs: the key is forgotten, the domain is
 * sold, and the order exists. Whatever it says, `orders.resume` and the outbox never say `refused`, and
 * never `placed` with another order. `FIGURES=1` prints the verdict on each lie.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { MarketClient, type Order } from 'market-partner-sdk';
import {
  createOrderOutbox,
  memoryEngine,
  sqliteEngine,
  type DurableEngine,
} from 'market-partner-sdk/durable';
import { findBetterSqlite } from '../../durable/support/find-sqlite.js';
import { ManualTime } from '../../durable/support/manual-time.js';
import { fakeSleep } from '../../support/virtual-time.js';
import { input, listLies, order, orderLies, toResponse, truth, type Answer } from './lies.js';

const openSqlite = findBetterSqlite();
const names = Object.keys(listLies);
const { FIGURES: wantsFigures, SCHEDULES: schedules = 10_000 } = process.env;
/** Every tenth pair; in a soak all of them. */
const pairs = names
  .flatMap((first) => names.map((second) => [first, second] as const))
  .filter((_, at) => at % Math.max(1, Math.round(100_000 / Number(schedules) + 1)) === 0);

/** What POST /orders and the pages of a look-up say; both are counted from 1. */
interface Service {
  readonly post: (attempt: number) => Answer;
  readonly list: (page: number, lookUp: number) => Answer;
}

const forgotten: Answer = { status: 404, headers: {}, body: { code: 'not_found' } };
const lying = (name: string): Service => ({
  post: () => forgotten,
  list: (page) => listLies[name]!.lie(truth, page),
});
const creating = (name: string): Service => ({
  post: () => orderLies[name]!.answer,
  list: () => truth,
});

let requests: string[];
beforeEach(() => {
  requests = [];
});
afterEach(() => expect(requests[0]).toMatch(/^POST/));

function fetchFrom({ post, list }: Service) {
  let [attempts, lookUps, page] = [0, 0, 0];
  return (url: string, { method }: { method: string }) => {
    requests.push(`${method} ${url}`);
    if (method === 'POST') {
      attempts += 1;
      return Promise.resolve(toResponse(post(attempts)));
    }
    const isFirstPage = !url.includes('cursor=');
    if (isFirstPage) lookUps += 1;
    page = isFirstPage ? 1 : page + 1;
    return Promise.resolve(toResponse(list(page, lookUps)));
  };
}

const options = {
  baseUrl: 'https://market.example',
  keyId: 'mk_sandbox_1f0c',
  secret: 'of these tests',
  maxRetries: 0,
  validateResponses: 'off' as const,
};

function resumeAgainst(service: Service) {
  const market = new MarketClient({ ...options, sleep: fakeSleep(), fetch: fetchFrom(service) });
  return market.orders.resume({ input, idempotencyKey: 'payment-1001', startedAt: Date.now() });
}

const messageOf = (result: object) =>
  'error' in result && result.error instanceof Error ? result.error.message : '';

const escalateAfterMs = 60_000;

/** An intent whose first attempt gets a 500, and its verdicts until an operator has it. */
async function placeAgainst(service: Service, engineOf: (time: ManualTime) => DurableEngine) {
  const time = new ManualTime();
  const fetch = fetchFrom({
    ...service,
    post: (attempt) => (attempt === 1 ? { ...truth, status: 500 } : service.post(attempt - 1)),
  });
  const { clock } = time.options;
  const market = new MarketClient({ ...options, clock, sleep: () => Promise.resolve(), fetch });
  const told: string[] = [];
  const outbox = createOrderOutbox({
    market,
    engine: engineOf(time),
    escalateAfterMs,
    logger: false,
    random: () => 0.5,
    ...time.options,
    onPlaced: ({ public_id: id }: Order) => told.push(`placed ${id}`),
    onRefused: ({ reason }) => told.push(`refused ${reason}`),
    onAttention: ({ reason }) => told.push(`attention ${reason}`),
  });
  try {
    await outbox.add({ key: 'payment-1001', order: input });
    const causes = new Set<string>();
    for (let passedMs = 0; passedMs <= 4 * escalateAfterMs && told.length === 0;) {
      const drained = outbox.drain({ maxMs: 20_000 });
      await time.advance(20_000);
      await drained;
      passedMs += 20_000;
      const { lastError } = (await outbox.get('payment-1001')) ?? {};
      if (lastError !== undefined) causes.add(lastError);
    }
    return { told, causes: [...causes] };
  } finally {
    await outbox.stop({ graceMs: 0 });
    await market.close();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'market-lies-'));
afterAll(() => rmSync(folder, { recursive: true }));
let databases = 0;

const engines: Readonly<Record<string, (time: ManualTime) => DurableEngine>> = {
  memory: (time) => memoryEngine(time.options),
  ...(openSqlite && {
    SQLite: ({ options: timeOptions }: ManualTime) => {
      const database = openSqlite(join(folder, `${(databases += 1)}.db`));
      onTestFinished(() => void database.close());
      return sqliteEngine(database, timeOptions) as unknown as DurableEngine;
    },
  }),
};

const figures: string[][] = [];
afterAll(() => {
  if (wantsFigures === undefined) return;
  console.log(figures.map((row) => row.join(' | ')).join('\n'));
});

/** What ends a sale in this state in the outbox: an open one is an operator's once its time is over. */
const endOf = { open: 'attention not_placed_in_time', attention: 'attention ambiguous' };

describe('a list that lies', () => {
  it('not is found at once, with one look-up', async () => {
    const honest: Service = { post: () => forgotten, list: () => truth };
    const ended = await resumeAgainst(honest);
    expect(ended).toMatchObject({ state: 'placed', order: { public_id: order.public_id } });
    expect(requests).toHaveLength(2);
    for (const engineOf of Object.values(engines)) {
      expect((await placeAgainst(honest, engineOf)).told).toEqual(['placed ord_1']);
    }
  });

  it('not, and shows no order twice, refuses the sale', async () => {
    const without: Service = {
      post: () => forgotten,
      list: () => ({ ...truth, body: { data: [], next_cursor: null } }),
    };
    expect(await resumeAgainst(without)).toMatchObject({ state: 'refused' });
    for (const engineOf of Object.values(engines)) {
      expect((await placeAgainst(without, engineOf)).told).toEqual(['refused not_listed']);
    }
  });

  it.each(names)('by "%s" proves nothing', async (name) => {
    const { state } = listLies[name]!;
    const resumed = await resumeAgainst(lying(name));
    expect(resumed.state).toBe(state);
    const row = [name, resumed.state, messageOf(resumed)];
    for (const engineOf of Object.values(engines)) {
      const { told, causes } = await placeAgainst(lying(name), engineOf);
      expect(told).toEqual([endOf[state]]);
      // While it is open, an operator can read why.
      if (state === 'open') expect(causes.at(-1)).toMatch(/GET \/orders|304/);
      row.push(told.join(', '));
    }
    figures.push(row);
  });

  it(
    `by two at once (${pairs.length} pairs of ${names.length}) proves nothing`,
    { timeout: 120_000 },
    async () => {
      const untrue: string[] = [];
      for (const [first, second] of pairs) {
        const both = (page: number) =>
          listLies[second]!.lie(listLies[first]!.lie(truth, page), page);
        const inTurn = (page: number, lookUp: number) =>
          listLies[lookUp === 1 ? first : second]!.lie(truth, page);
        for (const list of [both, inTurn]) {
          const { state } = await resumeAgainst({ post: () => forgotten, list });
          if (state === 'open' || state === 'attention') continue;
          untrue.push(`${first} + ${second}: ${state}`);
        }
      }
      expect(untrue).toEqual([]);
    },
  );
});

describe('a response to POST /orders that lies', () => {
  it.each(Object.keys(orderLies))('by "%s" places and refuses nothing', async (name) => {
    const { state } = orderLies[name]!;
    const resumed = await resumeAgainst(creating(name));
    expect(resumed.state).toBe(state);
    const row = [`POST: ${name}`, resumed.state, messageOf(resumed)];
    for (const engineOf of Object.values(engines)) {
      const { told } = await placeAgainst(creating(name), engineOf);
      expect(told).toEqual([endOf[state]]);
      row.push(told.join(', '));
    }
    figures.push(row);
  });
});

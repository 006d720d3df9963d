/**
 * A service that lies about its orders, each lie alone and in pairs: the key is forgotten, the domain is
 * sold, and the order exists. Whatever it says, `orders.resume` and the outbox never say `refused`, and
 * never `placed` with another order. `FIGURES=1` prints the verdict on each lie.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { memoryEngine, sqliteEngine, type DurableEngine } from 'market-partner-sdk/durable';
import { findBetterSqlite } from '../../durable/support/find-sqlite.js';
import type { ManualTime } from '../../durable/support/manual-time.js';
import { listLies, order, orderLies, truth } from './lies.js';
import {
  creating,
  drainAtOnce,
  endOf,
  forgotten,
  lying,
  placeAgainst,
  resumeAgainst,
  type Service,
} from './lying-service.js';

const openSqlite = findBetterSqlite();
const names = Object.keys(listLies);
const { FIGURES: wantsFigures, SCHEDULES: schedules = 10_000 } = process.env;
/** Every tenth pair; in a soak all of them. */
const pairs = names
  .flatMap((first) => names.map((second) => [first, second] as const))
  .filter((_, at) => at % Math.max(1, Math.round(100_000 / Number(schedules) + 1)) === 0);

const folder = mkdtempSync(join(tmpdir(), 'market-lies-'));
afterAll(() => rmSync(folder, { recursive: true }));
let databases = 0;

const opens: ((time: ManualTime) => DurableEngine)[] = [
  (time) => memoryEngine(time.options),
  ...(openSqlite === undefined
    ? []
    : [
        ({ options }: ManualTime) => {
          const database = openSqlite(join(folder, `${(databases += 1)}.db`));
          onTestFinished(() => void database.close());
          return sqliteEngine(database, options) as unknown as DurableEngine;
        },
      ]),
];
const engines = opens.map((open) => ({ open, jitter: 0.5, drain: drainAtOnce }));

const messageOf = (result: object) =>
  'error' in result && result.error instanceof Error ? result.error.message : '';

const figures: string[][] = [];
afterAll(() => {
  if (wantsFigures === undefined) return;
  console.log(figures.map((row) => row.join(' | ')).join('\n'));
});

describe('a list that lies', () => {
  it('not is found at once, with one look-up', async () => {
    const honest: Service = { post: () => forgotten, list: () => truth };
    const { ended, requests } = await resumeAgainst(honest);
    expect(ended).toMatchObject({ state: 'placed', order: { public_id: order.public_id } });
    expect(requests).toHaveLength(2);
    for (const engine of engines) {
      expect((await placeAgainst(honest, engine)).told).toEqual(['placed ord_1']);
    }
  });

  it('not, and shows no order twice, refuses the sale', async () => {
    const without: Service = {
      post: () => forgotten,
      list: () => ({ ...truth, body: { data: [], next_cursor: null } }),
    };
    expect((await resumeAgainst(without)).ended.state).toBe('refused');
    for (const engine of engines) {
      expect((await placeAgainst(without, engine)).told).toEqual(['refused not_listed']);
    }
  });

  it.each(names)('by "%s" proves nothing', async (name) => {
    const { state } = listLies[name]!;
    const { ended: resumed } = await resumeAgainst(lying(name));
    expect(resumed.state).toBe(state);
    const row = [name, resumed.state, messageOf(resumed)];
    for (const engine of engines) {
      const { told, causes } = await placeAgainst(lying(name), engine);
      expect(told).toEqual([endOf[state]]);
      // While it is open, an operator can read why.
      if (state === 'open') expect(causes.at(-1)).toMatch(/GET \S*\/orders|304/);
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
          const { ended } = await resumeAgainst({ post: () => forgotten, list });
          const { state } = ended;
          if (state === 'open' || state === 'attention') continue;
          untrue.push(`${first} + ${second}: ${state}`);
        }
      }
      expect(untrue).toEqual([]);
    },
  );
});

describe('a response to POST /orders that lies', () => {
  it.each(Object.keys(orderLies))(
    'by "%s" decides nothing that the list does not show',
    async (name) => {
      const { state } = orderLies[name]!;
      const { ended: resumed } = await resumeAgainst(creating(name));
      expect(resumed.state).toBe(state);
      const row = [`POST: ${name}`, resumed.state, messageOf(resumed)];
      for (const engine of engines) {
        const { told } = await placeAgainst(creating(name), engine);
        expect(told).toEqual([endOf[state]]);
        row.push(told.join(', '));
      }
      figures.push(row);
    },
  );
});

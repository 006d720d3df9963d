/**
 * Seeded schedules of a sale over a faulty network. `SEED=17 npx vitest run test/faults/money` runs
 * one of them again; `SCHEDULES=100000` runs as many, from seed `FIRST` on.
 */

import { expect, it } from 'vitest';
import { faults } from '../simulation/faults.js';
import { gatewayRefusals, impostors, serverErrors } from '../simulation/gateway-faults.js';
import { runSchedule } from './schedule.js';

const everything = { ...faults, ...serverErrors, ...gatewayRefusals, ...impostors };
const plays = Object.values(everything).map(({ play }) => play);
const {
  SEED: only,
  FIRST: first = 0,
  SCHEDULES: schedules = 2_000,
  FIGURES: showFigures,
} = process.env;
const seeds =
  only === undefined
    ? Array.from({ length: Number(schedules) }, (_, at) => Number(first) + at)
    : [Number(only)];

it(`the truth about money holds in ${seeds.length} schedules`, { timeout: 3_600_000 }, async () => {
  const failures: string[] = [];
  const figures = new Map<string, number>();
  const count = (name: string, by = 1) => figures.set(name, (figures.get(name) ?? 0) + by);
  for (const seed of seeds) {
    const { violations, ends, requests, orders } = await runSchedule(seed, plays);
    count('schedules');
    count('requests', requests);
    count('orders', orders);
    for (const end of ends) count(end);
    for (const { invariant, detail } of violations) {
      count(`broken: ${invariant}`);
      failures.push(`SEED=${seed} ${invariant}: ${detail}`);
    }
  }
  if (showFigures !== undefined) console.log(figures);
  expect(failures.slice(0, 20), `${failures.length} violations`).toEqual([]);
});

it('a seed gives the same schedule twice', async () => {
  for (const seed of [3, 77, 1_234]) {
    expect(await runSchedule(seed, plays)).toEqual(await runSchedule(seed, plays));
  }
});

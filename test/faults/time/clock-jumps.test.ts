/** A wall clock that jumps while calls run: deadlines are kept, and requests carry a usable time. */

import { describe, expect, it } from 'vitest';
import { clean, error, faults } from '../simulation/faults.js';
import { settled, simulatedMarket, simulatedTime } from '../simulation/simulated-market.js';

const hourMs = 3_600_000;
const limits = { timeoutMs: 1_000, deadlineMs: 5_000, maxRetries: 10 };
const silent = faults['silent before the work']!.play;
const failing = faults['502 page before the work']!.play;
const rateLimited = faults['rate limited']!.play;

describe.each([
  ['an hour back', -hourMs],
  ['an hour ahead', hourMs],
  ['to 1970', -1_795_000_000_000],
])('a clock that jumps %s', (_title, jumpMs) => {
  it.each([
    ['in an attempt', silent],
    ['between attempts', failing],
    ['while the service limits the rate', rateLimited],
  ])('%s stretches no deadline', async (_when, fault) => {
    const time = simulatedTime();
    const { market } = simulatedMarket(time, () => fault, limits);
    for (const afterMs of [1, 500, 1_500, 4_000]) {
      const startedMs = time.nowMs;
      time.after(afterMs, () => (time.clockOffsetMs += jumpMs));
      const result = await time.run(settled(() => market.orders.get('ord_1')));
      expect(time.nowMs - startedMs).toBeLessThanOrEqual(limits.deadlineMs);
      expect(result).toHaveProperty('error.outcome');
      time.clockOffsetMs = 0;
      // The hold of a rate limit is over.
      await time.run(time.wait(10_000));
    }
  });
});

it('a Date that lies once costs the next calls nothing', async () => {
  const time = simulatedTime();
  const { market, network } = simulatedMarket(
    time,
    (index) => (exchange) => {
      const offByS = Math.abs(
        Number(exchange.request.headers['x-market-timestamp']) - time.nowMs / 1_000,
      );
      const date = new Date(time.nowMs - (index === 0 ? hourMs : 0)).toUTCString();
      if (index === 0 || offByS > 300) {
        if (exchange.start()) exchange.respond(error(401, 'invalid_timestamp', { date }));
      } else clean(exchange);
    },
    limits,
  );
  const first = await time.run(settled(() => market.orders.get('ord_1')));
  expect(first).toHaveProperty('error.name', 'AuthenticationError');
  const second = await time.run(settled(() => market.orders.get('ord_1')));
  expect(second).toHaveProperty('value');
  expect(network.sent.length).toBeLessThanOrEqual(4);
});

it('a machine that slept starts no attempt after the deadline', async () => {
  const time = simulatedTime();
  const startedMs = time.nowMs;
  const sentAtMs: number[] = [];
  const { market } = simulatedMarket(
    time,
    () => (exchange) => {
      sentAtMs.push(time.nowMs - startedMs);
      failing(exchange);
    },
    limits,
  );
  const call = settled(() => market.orders.get('ord_1'));
  // Every timer is due at once when the machine wakes.
  time.after(700, () => (time.nowMs += hourMs));
  expect(await time.run(call)).toHaveProperty('error.outcome');
  await time.drain();
  expect(Math.max(...sentAtMs)).toBeLessThan(limits.deadlineMs);
});

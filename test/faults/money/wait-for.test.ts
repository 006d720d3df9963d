/** Seeded schedules of `orders.waitFor` over a faulty network: it resolves with what the order is. */

import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { MarketClient, MarketError, OrderNotReachedError } from 'market-partner-sdk';
import { SimulatedNetwork } from '../simulation/exchange.js';
import { clean, error, faults, json } from '../simulation/faults.js';
import { gatewayRefusals, impostors, serverErrors } from '../simulation/gateway-faults.js';
import { Random } from '../simulation/random.js';
import { SimulatedTime } from '../simulation/simulated-time.js';

const everything = { ...faults, ...serverErrors, ...gatewayRefusals, ...impostors };
const plays = Object.values(everything).map(({ play }) => play);
const path = '/api/partner/v1/orders/ord_1';
const { SEED: only, SCHEDULES: schedules = 2_000 } = process.env;
const seeds =
  only === undefined
    ? Array.from({ length: Math.ceil(Number(schedules) / 5) }, (_, at) => at)
    : [Number(only)];

it(`a wait ends truthfully in ${seeds.length} schedules`, { timeout: 3_600_000 }, async () => {
  const broken: string[] = [];
  const ends = new Set<string>();
  for (const seed of seeds) {
    const time = new SimulatedTime();
    time.install();
    try {
      const { end, violations } = await time.run(wait(seed, time));
      ends.add(end);
      for (const violation of violations) broken.push(`SEED=${seed} ${end}: ${violation}`);
    } finally {
      time.uninstall();
    }
  }
  expect(broken.slice(0, 20)).toEqual([]);
  if (only === undefined) {
    const expected = ['AbortedError', 'OrderNotReachedError', 'TimeoutError', 'reached'];
    expect([...ends]).toEqual(expect.arrayContaining(expected));
  }
});

async function wait(seed: number, time: SimulatedTime) {
  const random = new Random(seed);
  const order = { public_id: 'ord_1', domain: 'brew.example', status: 'EXTERNALLY_PAID' };
  const statusAfter = (ms: number, status: string) =>
    time.after(ms, () => {
      order.status = status;
    });
  if (random.chance(0.3)) statusAfter(random.integer(1, 9_000), 'MANUAL_REVIEW');
  statusAfter(random.integer(9_000, 20_000), 'TRANSFER_IN_PROGRESS');
  if (random.chance(0.8)) {
    const last = random.pick(['TRANSFER_COMPLETED', 'SETTLED', 'REFUNDED', 'CANCELLED']);
    statusAfter(random.integer(20_000, 90_000), last);
  }

  const faultRate = random.pick([0, 0.2, 0.5, 1]);
  const network = new SimulatedNetwork({
    time,
    random,
    service: ({ target }) => (target === path ? json(200, order) : error(404, 'not_found')),
    faultFor: () => (random.chance(faultRate) ? random.pick(plays) : clean),
  });
  const market = new MarketClient({
    baseUrl: 'https://market.example',
    keyId: 'mk_sandbox_1f0c',
    secret: 'of these tests',
    dispatcher: network,
    random: random.next,
    timeoutMs: 3_000,
  });
  const controller = new AbortController();
  if (random.chance(0.2)) time.after(random.integer(1, 60_000), () => controller.abort());
  const deadlineMs = random.pick([1_000, 30_000, 120_000]);
  const startedMs = time.nowMs;
  let held = 0;
  let result: { status?: string } | undefined;
  let failure: unknown;
  try {
    result = await market.orders.waitFor('ord_1', {
      until: 'TRANSFER_COMPLETED',
      deadlineMs,
      signal: controller.signal,
      onHeld: () => {
        held += 1;
      },
    });
  } catch (thrown) {
    failure = thrown;
  }

  const violations: string[] = [];
  const check = (holds: boolean, rule: string) => {
    if (!holds) violations.push(rule);
  };
  const isReached = ['TRANSFER_COMPLETED', 'SETTLED'].includes(order.status);
  const isLost = ['REFUNDED', 'CANCELLED'].includes(order.status);
  if (failure === undefined) {
    check(isReached, 'it resolves only with an order that is there');
    check(result?.status === order.status, 'it resolves with the order as it is');
  } else {
    check(failure instanceof MarketError, 'every error is a MarketError');
    check(!(failure instanceof OrderNotReachedError) || isLost, 'it gives up only what is lost');
  }
  // A timer waits whole milliseconds.
  check(time.nowMs - startedMs <= deadlineMs + 1, 'it ends within its deadline');
  check(held <= 1, 'a hold is told once');
  check(
    network.sent.every(({ method, target }) => method === 'GET' && target === path),
    'it reads',
  );
  check(getEventListeners(controller.signal, 'abort').length === 0, 'it leaves no listener');
  check(time.openTimeouts === 0, 'it leaves no timer');
  return { end: failure === undefined ? 'reached' : (failure as Error).name, violations };
}

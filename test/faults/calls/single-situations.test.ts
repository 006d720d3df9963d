/** Single situations that a campaign found once. */

import { expect, it } from 'vitest';
import { clean, error, faults, networkError } from '../simulation/faults.js';
import { settled, simulatedMarket, simulatedTime } from '../simulation/simulated-market.js';

const sale = { domain: 'brew.example', expected_price: 250_000, currency: 'USD' };
const options = { idempotencyKey: 'payment-1' };

it('a 429 whose body breaks off keeps its Retry-After', async () => {
  const time = simulatedTime();
  const sentAtMs: number[] = [];
  const { market } = simulatedMarket(
    time,
    (index) => (exchange) => {
      sentAtMs.push(time.nowMs);
      if (index > 0) {
        clean(exchange);
        return;
      }
      exchange.start();
      exchange.head(error(429, 'rate_limited', { 'retry-after': '7' }));
      exchange.data('{"co');
      exchange.fail(networkError('ECONNRESET', 'read'));
    },
    { random: () => 0 },
  );
  await time.run(settled(() => market.orders.list()));
  expect(sentAtMs[1]! - sentAtMs[0]!).toBeGreaterThanOrEqual(7_000);
});

it.each(['sleep', 'random', 'clock'] as const)(
  'a %s that throws costs an order neither its key nor its outcome',
  async (name) => {
    const time = simulatedTime();
    let calls = 0;
    const broken = () => {
      // The first readings are those of the first attempt.
      if (name !== 'clock' || (calls += 1) > 4) throw new Error(`${name} is broken`);
      return time.nowMs;
    };
    const { market } = simulatedMarket(
      time,
      () => (exchange) => {
        exchange.start();
        exchange.work();
        exchange.fail(networkError('ECONNRESET', 'read'));
      },
      { [name]: broken },
    );
    const result = await time.run(settled(() => market.orders.create(sale, options)));
    expect(result).toMatchObject({ error: { idempotencyKey: 'payment-1', outcome: 'unknown' } });
  },
);

it('an abort while the rate is limited is an AbortedError', async () => {
  for (const abortMs of [1, 1_000, 29_999, 30_000]) {
    const time = simulatedTime();
    const { market } = simulatedMarket(time, (index) =>
      index > 0
        ? clean
        : (exchange) => {
            exchange.start();
            exchange.respond(error(429, 'rate_limited', { 'retry-after': '30' }));
          },
    );
    await time.run(settled(() => market.orders.list({}, { maxRetries: 0 })));
    const controller = new AbortController();
    const held = settled(() => market.orders.list({}, { signal: controller.signal }));
    time.after(abortMs, () => controller.abort());
    expect(await time.run(held)).toMatchObject({ error: { name: 'AbortedError' } });
    time.uninstall();
  }
});

it('an injected clock that jumps back stretches no deadline', async () => {
  const time = simulatedTime();
  let offsetMs = 0;
  const { market } = simulatedMarket(
    time,
    () => (exchange) => {
      exchange.start();
      exchange.respond(error(503));
    },
    { clock: () => time.nowMs + offsetMs, deadlineMs: 500, maxRetries: 50 },
  );
  time.after(100, () => (offsetMs = -3_600_000));
  const startedMs = time.nowMs;
  await time.run(settled(() => market.orders.list()));
  expect(time.nowMs - startedMs).toBeLessThanOrEqual(1_000);
});

it('a value whose getter changes its mind is sent as it was checked', async () => {
  const time = simulatedTime();
  const { market, network } = simulatedMarket(time, () => clean);
  let reads = 0;
  const input = {
    domain: 'brew.example',
    currency: 'USD',
    get expected_price() {
      return (reads += 1) === 1 ? 250_000 : -1;
    },
  };
  await time.run(settled(() => market.orders.create(input, options)));
  for (const { body } of network.sent)
    expect(JSON.parse(body)).toMatchObject({ expected_price: 250_000 });
});

it('a timeout says which limit it was', async () => {
  const time = simulatedTime();
  const silent = faults['silent before the work']!.play;
  for (const [limits, which] of [
    [{ timeoutMs: 100, deadlineMs: 10_000 }, 'attempt'],
    [{ timeoutMs: 10_000, deadlineMs: 100 }, 'deadline'],
  ] as const) {
    const { market } = simulatedMarket(time, () => silent, { ...limits, maxRetries: 0 });
    const result = await time.run(settled(() => market.orders.list()));
    expect(result).toMatchObject({ error: { name: 'TimeoutError', which, attempts: 1 } });
  }
});

it('an abort in an attempt is an AbortedError, and nothing is repeated', async () => {
  const time = simulatedTime();
  const silent = faults['silent before the work']!.play;
  const { market, network } = simulatedMarket(time, () => silent);
  const controller = new AbortController();
  time.after(500, () => controller.abort());
  const result = await time.run(settled(() => market.orders.list({}, controller)));
  expect(result).toMatchObject({ error: { name: 'AbortedError', outcome: 'unknown' } });
  expect(network.sent).toHaveLength(1);
});

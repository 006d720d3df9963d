import { fault } from 'market-partner-sdk/testing';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { memoryEngine } from 'market-partner-sdk/durable';
import { intent, useOutboxWorld } from './support/outbox-world.js';

const world = useOutboxWorld();

it('a machine clock that is fast hides no order behind its time', async () => {
  await world.restart({ idempotencyMemory: 1 });
  // The client has corrected itself; the machine's clock stays ten minutes ahead.
  const clock = () => world.time.nowMs + 600_000;
  // The list shows when an order was made, and not whose payment it was.
  const withoutReference: typeof fetch = async (...request) => {
    const response = await world.emulator.fetch(...request);
    const text = (await response.text()).replaceAll('"external_payment_ref"', '"hidden"');
    return new Response(text, response);
  };
  const market = world.market.client({ maxRetries: 0, fetch: withoutReference });
  const outbox = await world.outboxWithSale({ market, clock });
  world.emulator.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });
  await world.drainFor(outbox);
  expect(world.reported).toEqual(['pay-1 attention ambiguous 1']);
});

it('a key of the future is old: nothing tells when it was stored', async () => {
  await world.restart({ idempotencyMemory: '1 minute' });
  const engine = memoryEngine(world.time.options);
  const tomorrow = () => world.time.nowMs + 86_400_000;
  await world.outboxWith({ engine, clock: tomorrow }).add(intent('pay-1'));
  const order = { ...intent('pay-1').order, external_payment_ref: 'pay-1' };
  await world.market.market.orders.create(order, { idempotencyKey: 'pay-1' });
  await world.time.advance(13 * 3_600_000);
  world.emulator.admin.list({ domain: 'brew.example', price_cents: 250_000 });
  await world.drainFor(world.outboxWith({ engine }), 1);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
  expect(world.requests('POST')).toHaveLength(1);
});

it('a Retry-After of a week does not keep a sale from an operator beyond escalateAfterMs', async () => {
  const hourMs = 3_600_000;
  const outbox = await world.outboxWithSale({ escalateAfterMs: 24 * hourMs });
  world.emulator.faults.on('POST /orders', fault.rateLimited(7 * 86_400));
  await world.drainFor(outbox, 1);
  await world.time.advance(24 * hourMs);
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual(['pay-1 attention not_placed_in_time 0']);
});

it('the pause of a refused credential lasts a minute, although the clock is set back meanwhile', async () => {
  vi.spyOn(performance, 'now').mockImplementation(() => world.time.nowMs);
  onTestFinished(() => void vi.restoreAllMocks());
  let aheadMs = 86_400_000;
  const outbox = await world.outboxWithSale({ clock: () => world.time.nowMs + aheadMs });
  world.emulator.faults.on('POST /orders', fault.status(401, { code: 'invalid_signature' }));
  await world.drainFor(outbox, 0.5);
  aheadMs = 0;
  world.emulator.faults.clear();
  await outbox.add(intent('pay-2', { domain: 'tea.example' }));
  await world.drainFor(outbox, 0.5);
  expect((await outbox.status()).paused).toBeNull();
  await world.drainFor(outbox, 2);
  expect(world.reported.sort()).toEqual(['pay-1 placed brew.example', 'pay-2 placed tea.example']);
});

describe.each([
  ['set back', -120_000],
  ['set ahead', 3_600_000],
])('although the clock is %s meanwhile', (_how, wrongByMs) => {
  let offMs: number;
  const clock = () => world.time.nowMs + offMs;
  const moveClock = () => {
    offMs = wrongByMs;
    return [];
  };

  beforeEach(() => void (offMs = 0));

  it('waitFor takes its timeout', async () => {
    const outbox = await world.outboxWithSale({ clock });
    const startedAt = world.time.nowMs;
    let tookMs = 0;
    const waiting = outbox.waitFor('pay-1', { timeoutMs: 10_000 }).catch((error: unknown) => {
      tookMs = world.time.nowMs - startedAt;
      return error;
    });
    await world.time.advance(1_000);
    moveClock();
    await world.time.advance(30_000);
    expect(tookMs).toBe(10_000);
    expect(await waiting).toMatchObject({ name: 'ResultTimeoutError' });
  });

  it('a drain places orders and runs their callbacks', async () => {
    const outbox = await world.outboxWithSale({ clock, recover: moveClock });
    const drained = outbox.drain({ maxMs: 1_000 });
    await world.time.advance(1_010);
    expect(await drained).toMatchObject({ placed: 1, left: 0 });
    expect(world.reported).toEqual(['pay-1 placed brew.example']);
  });

  it('a drain ends in time', async () => {
    const outbox = await world.outboxWithSale({
      clock,
      recover: moveClock,
      market: world.hangingMarket(),
    });
    let isEnded = false;
    const drained = outbox.drain({ maxMs: 1_000 }).then(() => (isEnded = true));
    await world.time.advance(1_010);
    expect(isEnded).toBe(true);
    await drained;
  });
});

it('an attempt is ended after ten minutes, and repeated', async () => {
  const outbox = await world.outboxWithSale({ market: world.hangingMarket() });
  await outbox.start();
  await world.time.advance(599_000);
  expect(await outbox.get('pay-1')).toMatchObject({ state: 'placing', attempts: 1 });
  await world.time.advance(2_000);
  expect(await outbox.get('pay-1')).toMatchObject({ attempts: 2 });
});

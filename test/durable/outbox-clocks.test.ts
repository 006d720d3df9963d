import { fault } from 'market-partner-sdk/testing';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { memoryEngine } from 'market-partner-sdk/durable';
import { intent, OutboxWorld } from './support/outbox-world.js';

let world: OutboxWorld;
afterEach(() => world.stop());

it('a machine clock that is fast hides no order behind its time', async () => {
  world = await OutboxWorld.start({ idempotencyMemory: 1 });
  // The client has corrected itself; the machine's clock stays ten minutes ahead.
  const clock = () => world.time.nowMs + 600_000;
  // The list shows when an order was made, and not whose payment it was.
  const withoutReference: typeof fetch = async (...request) => {
    const response = await world.emulator.fetch(...request);
    const text = (await response.text()).replaceAll('"external_payment_ref"', '"hidden"');
    return new Response(text, response);
  };
  const market = world.market.client({ maxRetries: 0, fetch: withoutReference });
  const outbox = world.outboxWith({ market, clock });
  await outbox.add(intent('pay-1'));
  world.emulator.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });
  await world.drainFor(outbox);
  expect(world.reported).toEqual(['pay-1 attention ambiguous 1']);
});

it('a key of the future is old: nothing tells when it was stored', async () => {
  world = await OutboxWorld.start({ idempotencyMemory: '1 minute' });
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
  world = await OutboxWorld.start();
  const hourMs = 3_600_000;
  const outbox = world.outboxWith({ escalateAfterMs: 24 * hourMs });
  await outbox.add(intent('pay-1'));
  world.emulator.faults.on('POST /orders', fault.rateLimited(7 * 86_400));
  await world.drainFor(outbox, 1);
  await world.time.advance(24 * hourMs);
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual(['pay-1 attention not_placed_in_time 0']);
});

it('the pause of a refused credential lasts a minute, although the clock is set back meanwhile', async () => {
  world = await OutboxWorld.start();
  vi.spyOn(performance, 'now').mockImplementation(() => world.time.nowMs);
  onTestFinished(() => void vi.restoreAllMocks());
  let aheadMs = 86_400_000;
  const outbox = world.outboxWith({ clock: () => world.time.nowMs + aheadMs });
  await outbox.add(intent('pay-1'));
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

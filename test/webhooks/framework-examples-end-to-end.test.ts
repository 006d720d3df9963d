import { MarketEmulator } from 'market-partner-sdk/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { caller } from '../testing/independent-signer.js';
import { frameworkExamples, freshExamples } from './framework-examples.js';

const booked = vi.hoisted(() => vi.fn<(order: { public_id: string }) => Promise<void>>());
vi.mock('../../examples/webhooks/settlements.js', () => ({ bookSettlement: booked }));

const secret = 'whsec_end_to_end';

freshExamples(secret, booked);

/** A service whose clock stands still, with the receiver registered and an order that can be settled. */
async function setUp(url: string, options: { webhookTimeoutMs?: number } = {}) {
  const emulator = await MarketEmulator.start({ clock: () => Date.UTC(2026, 10, 19), ...options });
  onTestFinished(() => emulator.stop());
  const call = caller(emulator, emulator.createCredential());
  const registered = await call('PUT /api/partner/webhooks', {
    body: { url: `${url}/webhooks/market`, secret },
  });
  expect(registered.status).toBe(200);
  const order = await call('POST /orders', { body: { domain: 'brew.example' }, key: 'key-1' });
  const publicId = (order.json as { public_id: string }).public_id;
  emulator.admin.startTransfer(publicId);
  emulator.admin.completeTransfer(publicId);
  await emulator.idle();
  const settlements = () => emulator.deliveries.filter(({ type }) => type === 'order.settled');
  return { emulator, publicId, settlements };
}

describe.each(Object.entries(frameworkExamples))(
  'the service delivers to the example for %s',
  (_name, start) => {
    it('every event of an order, and the settlement is booked', async () => {
      const { emulator, publicId } = await setUp(await start());
      emulator.admin.settle();
      await emulator.idle();
      expect(emulator.deliveries.map(({ type, status }) => [type, status])).toEqual([
        ['order.recorded', 200],
        ['order.transfer_started', 200],
        ['order.transfer_completed', 200],
        ['order.settled', 200],
      ]);
      expect(booked.mock.calls).toMatchObject([[{ public_id: publicId, status: 'SETTLED' }]]);
    });

    it('a settlement twice, and it is booked once', async () => {
      const { emulator, settlements } = await setUp(await start());
      emulator.faults.deliveries.next('twice', { type: 'order.settled' });
      emulator.admin.settle();
      await emulator.idle();
      expect(settlements().map(({ status }) => status)).toEqual([200, 200]);
      expect(booked).toHaveBeenCalledTimes(1);
    });

    it('a settlement again after the handler failed, and it is booked then', async () => {
      const { emulator, settlements } = await setUp(await start());
      booked.mockRejectedValueOnce(new Error('database is down'));
      emulator.admin.settle();
      await emulator.idle();
      emulator.clock.advance('1 minute');
      await emulator.idle();
      expect(settlements().map(({ status }) => status)).toEqual([500, 200]);
      expect(booked).toHaveBeenCalledTimes(2);
    });

    it('a settlement again because the handler was slow, and it is booked once', async () => {
      const { emulator, settlements } = await setUp(await start(), { webhookTimeoutMs: 1_000 });
      let finish: () => void = () => undefined;
      booked.mockImplementationOnce(() => new Promise((resolve) => (finish = resolve)));
      emulator.admin.settle();
      await emulator.idle();
      expect(settlements().map(({ outcome }) => outcome)).toEqual(['failed']);
      finish();
      emulator.clock.advance('1 minute');
      await emulator.idle();
      expect(settlements().map(({ outcome }) => outcome)).toEqual(['failed', 'delivered']);
      expect(booked).toHaveBeenCalledTimes(1);
    });
  },
);

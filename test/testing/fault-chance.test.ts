import { describe, expect, it, onTestFinished } from 'vitest';
import {
  fault,
  MarketEmulator,
  type EmulatorOptions,
  type FaultOptions,
} from 'market-partner-sdk/testing';
import { latencySampler } from '../../src/testing/faults/chance.js';
import { Faults } from '../../src/testing/faults/faults.js';
import { randomFrom } from '../../src/testing/identifiers.js';
import { start as startControlled } from './control-fixture.js';
import { startOfTime } from './emulator-fixture.js';
import { webhookReceivers } from './webhook-receiver.js';

const receiver = webhookReceivers();

async function start(options: EmulatorOptions = {}) {
  const emulator = await MarketEmulator.start({ clock: () => startOfTime, ...options });
  onTestFinished(() => emulator.stop());
  return emulator;
}

/** What happens to 200 calls, of which a third get a 500 and a fifth lose their connection. */
async function logOfCalls(seed: number) {
  const emulator = await start({ seed });
  emulator.faults.on('GET /orders', fault.internalError(), { chance: 1 / 3 });
  emulator.faults.on(/GET/, fault.resetBeforeWork(), { chance: 0.2 });
  const call = () => emulator.fetch('http://market.example/api/partner/v1/orders');
  for (let at = 0; at < 200; at += 1) await call().catch(() => undefined);
  return emulator.requests.map(({ status, faults }) => [status, ...faults]);
}

describe('a fault with a chance', () => {
  it('applies to the same calls with the same seed, and to others with another', async () => {
    const first = await logOfCalls(7);
    expect(await logOfCalls(7)).toEqual(first);
    expect(await logOfCalls(8)).not.toEqual(first);
  });

  it('applies as often as its chance says', async () => {
    const failed = (await logOfCalls(1)).filter(([status]) => status === 500);
    expect(failed.length / 200).toBeGreaterThan(0.25);
    expect(failed.length / 200).toBeLessThan(0.42);
  });

  it('counts for "times" only where it applied', async () => {
    const emulator = await start();
    emulator.faults.next(fault.internalError(), { chance: 0.25, times: 3 });
    let statuses: (number | undefined)[] = [];
    for (let at = 0; at < 60; at += 1) {
      await emulator.fetch('http://market.example/api/partner/v1/orders');
      statuses = emulator.requests.map(({ status }) => status);
    }
    expect(statuses.filter((status) => status === 500)).toHaveLength(3);
    expect(statuses.indexOf(500)).toBeGreaterThan(-1);
    expect(statuses.slice(0, 3)).not.toEqual([500, 500, 500]);
    expect(emulator.faults.pending).toBe(0);
  });

  it('applies to deliveries, the history and the list of orders, repeatably', async () => {
    const run = async () => {
      const emulator = await start({ seed: 3 });
      const { url } = await receiver();
      emulator.admin.registerWebhook(url, 'whsec_1');
      emulator.faults.deliveries.next('lost', { chance: 0.5, times: Infinity });
      emulator.faults.history.late('1 hour', { chance: 0.5 });
      emulator.faults.orderList.late('1 hour', { chance: 0.5 });
      for (let at = 0; at < 40; at += 1) emulator.admin.emitEvent('order.settled');
      await emulator.idle();
      const lost = emulator.deliveries.filter(({ outcome }) => outcome === 'lost');
      const late = emulator.snapshot().market.events.map(({ visibleAt }) => visibleAt);
      return { lost: lost.map(({ eventId }) => eventId), late };
    };
    const first = await run();
    expect(await run()).toEqual(first);
    expect(first.lost.length).toBeGreaterThan(8);
    expect(first.lost.length).toBeLessThan(32);
    expect(new Set(first.late).size).toBe(2);
  });

  it.each([0, -1, 1.5, NaN, '0.5'])('refuses the chance %j', async (chance) => {
    const { faults } = await start();
    const options = { chance: chance as number };
    const rule = '"chance" must be a number above 0, up to 1';
    expect(() => faults.next(fault.emptyBody(), options)).toThrow(rule);
    expect(() => faults.deliveries.next('lost', options)).toThrow(rule);
    expect(() => faults.history.late('1 hour', options)).toThrow(rule);
    expect(() => faults.orderList.late('1 hour', options)).toThrow(rule);
  });

  it('refuses an option that does not exist, by name', async () => {
    const { faults } = await start();
    const options = { time: 1 } as FaultOptions;
    const rule = '"time" is not an option; the options are';
    expect(() => faults.next(fault.emptyBody(), options)).toThrow(rule);
    expect(() => faults.on('/orders', fault.emptyBody(), options)).toThrow(rule);
    expect(() => faults.deliveries.next('lost', options)).toThrow(rule);
    expect(() => faults.history.late('1 hour', options)).toThrow(rule);
    expect(() => faults.orderList.late('1 hour', options)).toThrow(rule);
  });

  it('is armed and listed over HTTP', async () => {
    const { post, get } = await startControlled();
    await post('/faults/on', { match: '/orders', fault: 'internalError', chance: 0.1 });
    await post('/faults/deliveries/next', { fault: 'twice', chance: 0.2, times: null });
    expect(await get('/faults')).toMatchObject([
      { title: 'status 500 (chance 0.1)', chance: 0.1, left: null },
      { title: 'twice (chance 0.2)', chance: 0.2, left: null },
    ]);
    expect(await post('/faults/next', { fault: 'emptyBody', chance: 2 })).toMatchObject({
      code: 'validation_error',
      message: '"chance" must be a number above 0, up to 1',
    });
  });
});

describe('a latency with a median and a 99th percentile', () => {
  const quantile = (sorted: readonly number[], share: number) =>
    sorted[Math.floor(sorted.length * share)] ?? NaN;

  it.each([
    [50, 400],
    [120, 150],
    [10, 5_000],
  ])('has those of %i and %i ms over 10,000 responses, within 5 %%', (medianMs, p99Ms) => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const sample = latencySampler({ medianMs, p99Ms }, randomFrom(seed));
      const sorted = Array.from({ length: 10_000 }, sample).sort((a, b) => a - b);
      expect(Math.abs(quantile(sorted, 0.5) / medianMs - 1)).toBeLessThan(0.05);
      expect(Math.abs(quantile(sorted, 0.99) / p99Ms - 1)).toBeLessThan(0.05);
    }
  });

  it('has another value for each call, and the same values with the same seed', () => {
    const latencies = (seed: number) => {
      const faults = new Faults(seed);
      faults.on(() => true, fault.latency({ medianMs: 50, p99Ms: 400 }));
      const request = {
        method: 'GET',
        path: '/',
        rawQuery: '',
        headers: {},
        json: undefined,
        endpoint: undefined,
      };
      return Array.from({ length: 50 }, () => faults.consume(request)[0]);
    };
    expect(latencies(5)).toEqual(latencies(5));
    expect(latencies(5)).not.toEqual(latencies(6));
    expect(new Set(latencies(5).map((each) => each?.kind === 'latency' && each.ms)).size).toBe(50);
  });

  it.each([
    [{ medianMs: 0, p99Ms: 10 }, '"medianMs" must be above 0'],
    [{ medianMs: 10, p99Ms: 9 }, '"medianMs" must be above 0'],
    [{ medianMs: 10, p99Ms: Infinity }, '"p99Ms" must be a number of milliseconds'],
    [{ medianMs: 10 } as never, '"p99Ms"'],
  ])('refuses %j', (distribution, message) => {
    expect(() => fault.latency(distribution)).toThrow(message);
  });

  it.each(['latency(50..400)', { name: 'latency', medianMs: 50, p99Ms: 400 }])(
    'is armed over HTTP as %j',
    async (input) => {
      const { emulator, post } = await startControlled();
      await post('/faults/on', { match: '/orders', fault: input });
      expect(emulator.faults.list()).toMatchObject([{ kinds: ['latency'] }]);
    },
  );
});

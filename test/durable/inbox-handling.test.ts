import type { MarketEvent } from 'market-partner-sdk';
import type { EventContext } from 'market-partner-sdk/durable';
import { expect, it, vi } from 'vitest';
import { drain, marketOf, useInboxHarness } from './support/inbox-harness.js';

const harness = useInboxHarness();

it('the events of a sale are handled in order, one after the other', async () => {
  const [order] = await harness.world.sell(1);
  harness.world.emulator.admin.startTransfer(order!.public_id);
  harness.world.emulator.admin.completeTransfer(order!.public_id);
  let running = 0;
  const slow = async (event: MarketEvent) => {
    expect((running += 1)).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    harness.record(event);
    running -= 1;
  };
  const types = ['order.recorded', 'order.transfer_started', 'order.transfer_completed'];
  const inbox = harness.inbox({ on: Object.fromEntries(types.map((type) => [type, slow])) });
  await drain(inbox);
  expect(harness.handled).toEqual(types.map((type) => `${type} ${order!.public_id}`));
});

it('a failed listener is retried with growing waits, holds its sale and lets others pass', async () => {
  const [first, second] = await harness.world.sell(2);
  harness.world.emulator.admin.startTransfer(first!.public_id);
  let failures = 2;
  const failing = (event: MarketEvent) => {
    harness.record(event);
    const { order } = event.data as { order: { public_id: string } };
    if (order.public_id === first!.public_id && failures-- > 0) throw new Error('database down');
  };
  const inbox = harness.inbox({
    on: { 'order.recorded': failing, 'order.transfer_started': harness.record },
  });
  expect(await drain(inbox)).toEqual({ handled: 1, failed: 1, dead: 0, left: 2 });
  await harness.world.time.advance(499);
  expect(await drain(inbox)).toMatchObject({ handled: 0, failed: 0 });
  await harness.world.time.advance(1);
  expect(await drain(inbox)).toMatchObject({ failed: 1 });
  await harness.world.time.advance(1_000);
  expect(await drain(inbox)).toEqual({ handled: 2, failed: 0, dead: 0, left: 0 });
  expect(harness.handled.filter((line) => line.endsWith(second!.public_id))).toHaveLength(1);
  expect(harness.handled.at(-1)).toBe(`order.transfer_started ${first!.public_id}`);
});

it('a listener that takes too long is a failed attempt, and its signal fires', async () => {
  let context: EventContext | undefined;
  const inbox = harness.inbox({
    handlerTimeoutMs: 5_000,
    on: {
      'order.recorded': (_event, given) => {
        context = given;
        return new Promise(() => undefined);
      },
    },
  });
  await harness.world.sell(1);
  const drained = inbox.drain({ maxMs: 60_000 });
  await harness.world.time.advance(5_001);
  expect(await drained).toMatchObject({ handled: 0, failed: 1 });
  expect(context?.signal.aborted).toBe(true);
});

it('running events are given back when the grace period of stop() ends', async () => {
  let context: EventContext | undefined;
  const listener = vi.fn((_event: MarketEvent, given: EventContext) => {
    context = given;
    return new Promise(() => undefined);
  });
  const engine = harness.engine;
  const inbox = harness.inbox({ engine, on: { 'order.recorded': listener } });
  await harness.world.sell(1);
  await inbox.start();
  await harness.world.time.advance(0);
  expect(listener).toHaveBeenCalledOnce();
  const stopped = inbox.stop({ graceMs: 1_000 });
  await harness.world.time.advance(999);
  expect(context?.signal.aborted).toBe(false);
  await harness.world.time.advance(2);
  await stopped;
  expect(context?.signal.aborted).toBe(true);
  await drain(harness.inbox({ engine }));
  expect(harness.handled).toHaveLength(1);
});

it('"orderingKey" decides which events wait for each other', async () => {
  await harness.world.sell(3);
  const [first] = (await harness.world.events()).map(({ id }) => id);
  const attempts: string[] = [];
  const inbox = harness.inbox({
    orderingKey: () => 'all',
    on: {
      'order.recorded': ({ id }) => {
        attempts.push(id);
        return id === first ? Promise.reject(new Error('database down')) : undefined;
      },
    },
  });
  expect(await drain(inbox)).toEqual({ handled: 0, failed: 1, dead: 0, left: 3 });
  expect(attempts).toEqual([first]);
});

it('an event of a later version goes to onUnknown, and an event without an order waits for no other', async () => {
  const unknown: string[] = [];
  const events = [
    { id: 'evt_a', type: 'domain.renamed', data: {} },
    { id: 'evt_b', type: 'domain.renamed', data: { order: 'ord_1' } },
    { id: 'evt_c', type: 'domain.renamed', data: { order: { public_id: '' } } },
    'no event',
    { id: '', type: 'domain.renamed', data: {} },
  ].map((event) => (typeof event === 'string' ? event : { created_at: nowIso(), ...event }));
  const inbox = harness.inbox({
    market: marketOf(events),
    onUnknown: ({ id }) => {
      unknown.push(id);
      if (id === 'evt_a') throw new Error('fails alone');
    },
  });
  expect(await inbox.poll()).toMatchObject({ read: 3, added: 3 });
  expect(await drain(inbox)).toMatchObject({ handled: 2, failed: 1 });
  expect(unknown.sort()).toEqual(['evt_a', 'evt_b', 'evt_c']);
});

it('an event is left to the process that has a listener for it, as in a rolling deployment', async () => {
  const engine = harness.engine;
  const old = harness.inbox({ engine, on: { 'order.recorded': harness.record } });
  const current = harness.inbox({ engine });
  const [order] = await harness.world.sell(1);
  harness.world.emulator.admin.startTransfer(order!.public_id);
  await current.poll();
  await drain(old);
  expect(harness.handled).toEqual([`order.recorded ${order!.public_id}`]);
  expect(await old.status()).toMatchObject({ waiting: 1, dead: 0 });
  await harness.world.time.advance(1_000);
  await drain(current);
  expect(harness.handled.at(-1)).toBe(`order.transfer_started ${order!.public_id}`);
});

const nowIso = () => new Date(harness.world.time.nowMs).toISOString();

it('onEvent takes every event without a listener of its own, and onUnknown those of later versions', async () => {
  const taken: string[] = [];
  const event = (id: string, type: string) => ({ id, type, created_at: nowIso(), data: {} });
  const market = marketOf([event('evt_1', 'order.settled'), event('evt_2', 'domain.renamed')]);
  const onEvent = ({ id }: MarketEvent) => taken.push(`onEvent ${id}`);
  await drain(harness.inbox({ market, on: {}, onEvent }));
  expect(taken.splice(0).sort()).toEqual(['onEvent evt_1', 'onEvent evt_2']);
  const onUnknown = ({ id }: MarketEvent) => taken.push(`onUnknown ${id}`);
  await drain(harness.inbox({ market, on: undefined, onEvent, onUnknown }));
  expect(taken.sort()).toEqual(['onEvent evt_1', 'onUnknown evt_2']);
});

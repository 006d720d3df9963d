import {
  createEventInbox,
  createOrderOutbox,
  type EventInbox,
  type EventInboxOptions,
  type OrderOutbox,
  type OrderOutboxOptions,
} from 'market-partner-sdk/durable';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gate } from './engine-kit/engine-harness.js';
import { MarketWorld, secret, withOrders } from './support/market-world.js';
import { memoryEngine } from './support/open-engines.js';
import { intent } from './support/outbox-world.js';

let world: MarketWorld;
/** Queues that were opened and not closed. */
let open: number;
let handled: string[];
const parts: (EventInbox | OrderOutbox)[] = [];

beforeEach(async () => {
  world = await MarketWorld.start();
  open = 0;
  handled = [];
  world.emulator.admin.list({ domain: 'brew.example', price_cents: 250_000 });
});
afterEach(async () => {
  for (const part of parts.splice(0)) await part.stop({ graceMs: 0 });
  await world.stop();
});

/** `hold` waits until `pass` is called; `begun` resolves when something is held. */
function holding() {
  const [beginning, passing] = [gate(), gate()];
  const hold = () => {
    beginning.open();
    return passing.opened;
  };
  return { hold, pass: passing.open, begun: beginning.opened };
}

function countingEngine(isSlow: (name: string) => Promise<unknown> | undefined = () => undefined) {
  const engine = memoryEngine(world.time.options);
  const counting: typeof engine.open = async (spec) => {
    await isSlow(spec.name);
    const queue = await engine.open(spec);
    open += 1;
    return {
      ...queue,
      close: async () => {
        open -= 1;
        await queue.close();
      },
    };
  };
  return { ...engine, open: counting };
}

function inboxWith(options: Partial<EventInboxOptions> = {}): EventInbox {
  const inbox = createEventInbox({
    market: world.market,
    secret,
    startFrom: 'beginning',
    random: () => 0.5,
    engine: countingEngine(),
    ...world.time.options,
    on: { 'order.recorded': ({ id }) => handled.push(id) },
    ...options,
  });
  parts.push(inbox);
  return inbox;
}

function outboxWith(options: Partial<OrderOutboxOptions> = {}): OrderOutbox {
  const outbox = createOrderOutbox({
    market: world.client({ maxRetries: 0 }),
    engine: countingEngine(),
    random: () => 0.5,
    ...world.time.options,
    onPlaced: (_order, { key }) => handled.push(key),
    onRefused: () => undefined,
    onAttention: () => undefined,
    ...options,
  });
  parts.push(outbox);
  return outbox;
}

const nameOf = (error: unknown) => (error as Error).name;

/** A market whose next history read waits; `begun` resolves when it is asked. */
function heldHistory() {
  const { hold, pass, begun } = holding();
  const { environment, events } = world.market;
  const list = async (...args: Parameters<typeof events.list>) => {
    await hold();
    return events.list(...args);
  };
  return { market: { environment, events: { list } } as never, pass, begun };
}

describe('after stop() no queue is open', () => {
  it('where an order is placed until after stop(), and its verdict is stored', async () => {
    const engine = countingEngine();
    const market = world.client({ maxRetries: 0 });
    const { hold, pass, begun } = holding();
    const create = async (...args: Parameters<typeof market.orders.create>) => {
      await hold();
      return market.orders.create(...args);
    };
    const outbox = outboxWith({ engine, market: withOrders(market, { create }) });
    await outbox.start();
    await outbox.add(intent('pay-1'));
    await begun;
    const stopped = outbox.stop();
    pass();
    await stopped;
    await world.time.advance(60_000);
    expect(open).toBe(0);
    const next = outboxWith({ engine });
    await next.drain({ maxMs: 10_000 });
    expect(await next.get('pay-1')).toMatchObject({ state: 'placed' });
    expect(handled).toEqual(['pay-1']);
  });

  it('where a delivery is read from the history until after stop(): it is answered 503', async () => {
    const { market, pass, begun } = heldHistory();
    const inbox = inboxWith({ market });
    await world.sell(1);
    const answer = inbox.handle(await world.delivery((await world.events())[0]!));
    await begun;
    const stopped = inbox.stop({ graceMs: 0 });
    await stopped;
    pass();
    await world.time.advance(10_000);
    expect((await answer).status).toBe(503);
    expect(open).toBe(0);
  });

  it('where a delivery comes later: it is answered 503', async () => {
    const inbox = inboxWith();
    await inbox.start();
    await world.sell(1);
    const delivery = await world.delivery((await world.events())[0]!);
    await inbox.stop();
    expect((await inbox.handle(delivery)).status).toBe(503);
    expect(open).toBe(0);
    await inbox.start();
    expect((await inbox.handle(delivery)).status).toBe(200);
  });
});

describe('stop() ends a drain() that is under way', () => {
  it('of the inbox, which handles nothing more', async () => {
    await world.sell(3);
    const { hold, pass, begun } = holding();
    const listener = ({ id }: { id: string }) => {
      handled.push(id);
      return hold();
    };
    const inbox = inboxWith({ concurrency: 1, on: { 'order.recorded': listener } });
    await inbox.poll();
    const outcome = inbox.drain({ maxMs: 60_000 }).catch(nameOf);
    await begun;
    const stopped = inbox.stop();
    pass();
    await stopped;
    expect(await outcome).toBe('DurableStateError');
    expect(handled).toHaveLength(1);
    expect(open).toBe(0);
  });

  it('of the outbox', async () => {
    const { hold, pass, begun } = holding();
    const outbox = outboxWith({ onPlaced: hold });
    await outbox.add(intent('pay-1'));
    const outcome = outbox.drain({ maxMs: 60_000 }).catch(nameOf);
    await begun;
    const stopped = outbox.stop();
    pass();
    await stopped;
    expect(await outcome).toBe('DurableStateError');
    expect(open).toBe(0);
  });
});

it('what stop() gives back is handled at once by another inbox of the process', async () => {
  await world.sell(1);
  const engine = countingEngine();
  const { hold, begun } = holding();
  const hanging = inboxWith({ engine, on: { 'order.recorded': hold } });
  await hanging.start();
  await begun;
  await inboxWith({ engine }).start();
  await hanging.stop({ graceMs: 0 });
  await world.time.advance(100);
  expect(handled).toHaveLength(1);
});

it('drain() works after stop() in the inbox and in the outbox', async () => {
  const [inbox, outbox] = [inboxWith(), outboxWith()];
  await outbox.add(intent('pay-1'));
  await Promise.all([inbox.stop(), outbox.stop()]);
  expect(await outbox.drain({ maxMs: 10_000 })).toMatchObject({ placed: 1, left: 0 });
  expect(await inbox.drain({ maxMs: 10_000 })).toMatchObject({ handled: 1, left: 0 });
});

describe('stop() ends a start() that is under way', () => {
  it('in the first poll of the inbox', async () => {
    const { market, pass, begun } = heldHistory();
    const inbox = inboxWith({ market });
    const started = inbox.start();
    const outcome = started.catch(nameOf);
    await begun;
    await inbox.stop({ graceMs: 0 });
    pass();
    await world.time.advance(1_000);
    await world.sell(1);
    await world.time.advance(120_000);
    expect(handled).toEqual([]);
    expect(open).toBe(0);
    expect(await outcome).toBe('DurableStateError');
  });

  it('and not the start() after it', async () => {
    const { market, pass, begun } = heldHistory();
    const inbox = inboxWith({ market });
    const first = inbox.start().catch(nameOf);
    await begun;
    const stopped = inbox.stop();
    const second = inbox.start();
    pass();
    await Promise.all([stopped, second]);
    expect(await first).toBe('DurableStateError');
    await world.sell(1);
    await inbox.poll();
    await world.time.advance(1_000);
    expect(handled).toHaveLength(1);
  });

  it.each(['verdicts', 'orders'])('while the outbox opens its %s', async (name) => {
    const { hold, pass, begun } = holding();
    const engine = countingEngine((opened) => (opened.endsWith(name) ? hold() : undefined));
    const outbox = outboxWith({ engine });
    const outcome = outbox.start().catch(nameOf);
    await begun;
    const stopped = outbox.stop();
    pass();
    await stopped;
    expect(await outcome).toBe('DurableStateError');
    await world.time.advance(1_000);
    expect(open).toBe(0);
  });

  it('and a start() that fails leaves nothing behind', async () => {
    let isDown = true;
    const engine = countingEngine((opened) =>
      isDown && opened.endsWith('orders') ? Promise.reject(new Error('no database')) : undefined,
    );
    const outbox = outboxWith({ engine });
    await expect(outbox.start()).rejects.toThrow('no database');
    expect(open).toBe(0);
    isDown = false;
    await outbox.start();
    await outbox.add(intent('pay-1'));
    await world.time.advance(1_000);
    expect(handled).toEqual(['pay-1']);
  });
});

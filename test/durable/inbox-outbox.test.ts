import type { MarketEvent } from 'market-partner-sdk';
import {
  createEventInbox,
  memoryEngine,
  type DurableEngine,
  type EventInbox,
  type EventInboxOptions,
  type OrderOutbox,
  type OrderOutboxOptions,
} from 'market-partner-sdk/durable';
import { fault } from 'market-partner-sdk/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordingLogger } from '../support/recording-logger.js';
import { intent, useOutboxWorld } from './support/outbox-world.js';

/** The shop's table: `update sale set pay_back = … where order_id = $1` finds only a row that has the order. */
let sales: Map<string, { orderId?: string; payBack?: string }>;
const world = useOutboxWorld();
let engine: DurableEngine;
const inboxes: EventInbox[] = [];

beforeEach(() => {
  engine = memoryEngine(world.time.options);
  sales = new Map([['pay-1', {}]]);
});
afterEach(async () => {
  for (const inbox of inboxes.splice(0)) await inbox.stop({ graceMs: 0 });
});

function outboxWith(options: Partial<OrderOutboxOptions> = {}): OrderOutbox {
  return world.outboxWith({
    engine,
    onPlaced: (order, { key }) => void Object.assign(sales.get(key)!, { orderId: order.public_id }),
    ...options,
  });
}

function inboxOf(outbox: OrderOutbox, options: Partial<EventInboxOptions> = {}): EventInbox {
  const inbox = createEventInbox({
    market: world.client(),
    engine,
    outbox,
    startFrom: 'beginning',
    random: () => 0.5,
    logger: false,
    ...world.time.options,
    on: { 'order.refunded': payBack },
    ...options,
  });
  inboxes.push(inbox);
  return inbox;
}

/** The listener that one writes first. */
function payBack({ data }: Extract<MarketEvent, { type: 'order.refunded' }>): void {
  for (const sale of sales.values()) {
    if (sale.orderId === data.order.public_id) sale.payBack = 'refunded';
  }
}

async function drainFor(inbox: EventInbox, minutes = 1): Promise<void> {
  for (let round = 0; round < minutes * 2; round += 1) {
    const drained = inbox.drain({ maxMs: 10_000 });
    await world.time.advance(30_000);
    await drained;
  }
}

async function cancelOrder(): Promise<string> {
  const order = (await world.orders()).find(({ domain }) => domain === 'brew.example');
  world.emulator.admin.cancel(order!.public_id);
  return order!.public_id;
}

const paidBack = (orderId: string) => ({ orderId, payBack: 'refunded' });

it('an event waits for an onPlaced that has not ended', async () => {
  let isBroken = true;
  const outbox = outboxWith({
    onPlaced: (order, { key }) => {
      if (isBroken) throw new Error('database down');
      sales.get(key)!.orderId = order.public_id;
    },
  });
  const inbox = inboxOf(outbox);
  await outbox.add(intent('pay-1'));
  await world.drainFor(outbox, 1);
  const orderId = await cancelOrder();
  await drainFor(inbox);
  expect(sales.get('pay-1')).toEqual({});
  expect(await inbox.status()).toMatchObject({ waiting: 1, dead: 0, waitingForSale: 1 });
  isBroken = false;
  await world.drainFor(outbox, 20);
  await drainFor(inbox);
  expect(sales.get('pay-1')).toEqual(paidBack(orderId));
  expect(await inbox.status()).toMatchObject({ waiting: 0, waitingForSale: 0 });
});

it('an event waits for a response that is on its way', async () => {
  const outbox = outboxWith();
  const inbox = inboxOf(outbox);
  await outbox.add(intent('pay-1'));
  world.emulator.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });
  const drained = outbox.drain({ maxMs: 60_000 });
  await world.time.advance(0);
  const orderId = await cancelOrder();
  await drainFor(inbox);
  await drained;
  expect(sales.get('pay-1')).toEqual({});
  await world.drainFor(outbox, 5);
  await drainFor(inbox);
  expect(sales.get('pay-1')).toEqual(paidBack(orderId));
});

it('an event waits for a sale that an operator must decide', async () => {
  const outbox = outboxWith({ escalateAfterMs: 1 });
  const inbox = inboxOf(outbox);
  await outbox.add(intent('pay-1'));
  world.emulator.faults.on('POST /orders', fault.resetAfterWork());
  world.emulator.faults.on('GET /orders', fault.resetBeforeWork());
  await world.drainFor(outbox, 1);
  world.emulator.faults.clear();
  const orderId = await cancelOrder();
  await drainFor(inbox, 5);
  expect(await outbox.get('pay-1')).toMatchObject({ state: 'attention' });
  expect(await inbox.status()).toMatchObject({ waitingForSale: 1 });
  await outbox.resolve('pay-1', { placed: orderId });
  await world.drainFor(outbox, 1);
  await drainFor(inbox, 2);
  expect(sales.get('pay-1')).toEqual(paidBack(orderId));
});

it('after two days the event is a dead letter, which can be retried once the sale has ended', async () => {
  let isBroken = true;
  const outbox = outboxWith({
    onPlaced: (order, { key }) => {
      if (isBroken) throw new Error('no such column');
      sales.get(key)!.orderId = order.public_id;
    },
  });
  const { logger, lines } = recordingLogger();
  const inbox = inboxOf(outbox, { logger });
  await outbox.add(intent('pay-1'));
  world.isBusy = true;
  await world.drainFor(outbox, 120);
  world.isBusy = false;
  const orderId = await cancelOrder();
  await drainFor(inbox);
  await world.time.advance(2 * 86_400_000);
  await drainFor(inbox);
  const [letter] = await inbox.deadLetters();
  expect(letter?.error).toContain(`the order ${orderId} has no reported result after two days`);
  expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  expect(await inbox.status()).toMatchObject({ dead: 1, waitingForSale: 0 });
  isBroken = false;
  await outbox.resolve('pay-1', 'retry');
  await world.drainFor(outbox, 1);
  await inbox.retry(letter!.id);
  await drainFor(inbox);
  expect(sales.get('pay-1')).toEqual(paidBack(orderId));
});

it('an event waits for no sale of another domain, and for no refund that was asked for', async () => {
  const refunded: string[] = [];
  const outbox = outboxWith({
    onRefunded: (_order, { key }) => refunded.push(key),
    onNotRefunded: (_why, { key }) => refunded.push(key),
  });
  const inbox = inboxOf(outbox);
  await outbox.add(intent('pay-1'));
  await world.drainFor(outbox, 1);
  const orderId = await cancelOrder();
  await outbox.add(intent('pay-2', { domain: 'tea.example' }));
  await outbox.refund('pay-1', { reason: 'the buyer withdrew' });
  await drainFor(inbox);
  expect(sales.get('pay-1')).toEqual(paidBack(orderId));
  expect(refunded).toEqual([]);
});

it.each<[boolean, string | undefined]>([
  [true, 'xn--bcher-kva.example'],
  [true, 'BÜCHER.example.'],
  [true, ''],
  [true, undefined],
  [false, 'tea.example'],
])(
  'whether a sale without a result may be that of an order: %s for the domain %s',
  async (may, domain) => {
    const outbox = outboxWith();
    await outbox.add(intent('pay-1', { domain: 'bücher.example' }));
    const order = { public_id: 'ord_1', ...(domain !== undefined && { domain }) };
    expect(await outbox.hasUnreportedSale(order)).toBe(may);
  },
);

it('an outbox that cannot be read uses up no attempt', async () => {
  const outbox = outboxWith();
  let failures = 30;
  const asked: Pick<OrderOutbox, 'hasUnreportedSale'> = {
    hasUnreportedSale: (order) => {
      if (failures-- > 0) throw new Error('database down');
      return outbox.hasUnreportedSale(order);
    },
  };
  const inbox = inboxOf(outbox, { outbox: asked });
  await outbox.add(intent('pay-1'));
  await world.drainFor(outbox, 1);
  const orderId = await cancelOrder();
  await drainFor(inbox, 30);
  expect(sales.get('pay-1')).toEqual(paidBack(orderId));
  expect(await inbox.status()).toMatchObject({ dead: 0 });
});

it('an inbox that stops opens no outbox that was stopped', async () => {
  const outbox = outboxWith();
  let questions = 0;
  const hasUnreportedSale = () => {
    questions += 1;
    return Promise.resolve(false);
  };
  const inbox = inboxOf(outbox, { outbox: { hasUnreportedSale } });
  await outbox.add(intent('pay-1'));
  await world.drainFor(outbox, 1);
  await cancelOrder();
  await inbox.poll();
  const draining = inbox.drain({ maxMs: 10_000 }).catch(String);
  const stopped = inbox.stop();
  await world.time.advance(30_000);
  await stopped;
  await draining;
  expect(questions).toBe(0);
});

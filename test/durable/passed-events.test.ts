import {
  createEventInbox,
  memoryEngine,
  pollEvents,
  type Checkpoint,
  type DurableEngine,
  type EventInbox,
  type EventInboxOptions,
} from 'market-partner-sdk/durable';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MarketWorld, secret } from './support/market-world.js';

let world: MarketWorld;
let engine: DurableEngine;
let handled: string[];
const inboxes: EventInbox[] = [];

beforeEach(async () => {
  world = await MarketWorld.start();
  engine = memoryEngine(world.time.options);
  handled = [];
});
afterEach(async () => {
  for (const inbox of inboxes.splice(0)) await inbox.stop({ graceMs: 0 });
  await world.stop();
});

function inboxWith(startFrom: EventInboxOptions['startFrom']): EventInbox {
  const inbox = createEventInbox({
    logger: false,
    market: world.market,
    secret,
    startFrom,
    engine,
    ...world.time.options,
    on: { 'order.recorded': ({ id }) => handled.push(id) },
  });
  inboxes.push(inbox);
  return inbox;
}

/** The status of a delivery, however long its answer takes. */
async function deliver(inbox: Pick<EventInbox, 'handle'>, event: object): Promise<number> {
  const response = inbox.handle(await world.delivery(event));
  await world.time.advance(5_000);
  return (await response).status;
}

/** Two events an hour ago, and two now. */
async function sellTwice() {
  await world.sell(2);
  await world.time.advance(3_600_000);
  await world.sell(2);
  return world.events();
}

it('an event that "now" passed is answered 200, also by the next process, and not handled', async () => {
  const events = await sellTwice();
  await inboxWith('now').poll();
  for (const event of events) expect(await deliver(inboxWith('now'), event)).toBe(200);
  const before = world.emulator.requests.length;
  await deliver(inboxWith('now'), events[0]!);
  expect(world.emulator.requests.length - before).toBe(1);
  await world.sell(1);
  const next = (await world.events()).at(-1)!;
  expect(await deliver(inboxWith('now'), next)).toBe(200);
  await inboxWith('now').drain({ maxMs: 10_000 });
  expect(handled).toEqual([next.id]);
});

it('an event that the history shows late, close to "now", is never taken for a passed one', async () => {
  await sellTwice();
  const [, , , last] = await world.events();
  await inboxWith('now').poll();
  const createdAt = new Date(Date.parse(last!.created_at) - 60_000).toISOString();
  const late = { ...last!, id: 'evt_late', created_at: createdAt };
  expect(await deliver(inboxWith('now'), late)).toBe(503);
});

it('an event at or long before "after_id" is answered 200', async () => {
  const [first, second, third] = await sellTwice();
  const startFrom = { after_id: second!.id };
  await inboxWith(startFrom).poll();
  expect(await deliver(inboxWith(startFrom), second!)).toBe(200);
  expect(await deliver(inboxWith(startFrom), first!)).toBe(200);
  expect(await deliver(inboxWith(startFrom), third!)).toBe(200);
});

it('where "after_id" is the last event, the first one after it shows what lies before', async () => {
  await world.sell(2);
  const [first, second] = await world.events();
  const startFrom = { after_id: second!.id };
  await inboxWith(startFrom).poll();
  expect(await deliver(inboxWith(startFrom), second!)).toBe(200);
  expect(await deliver(inboxWith(startFrom), first!)).toBe(503);
  await world.time.advance(3_600_000);
  await world.sell(1);
  await inboxWith(startFrom).poll();
  expect(await deliver(inboxWith(startFrom), first!)).toBe(200);
});

it('a relay answers 200 for what it passed', async () => {
  const events = await sellTwice();
  let saved: Checkpoint | undefined;
  const relay = pollEvents({
    logger: false,
    market: world.market,
    secret,
    startFrom: 'now',
    ...world.time.options,
    checkpoint: { read: () => saved, write: (checkpoint) => void (saved = checkpoint) },
    enqueue: ({ length }) => expect(length).toBe(0),
  });
  for (const event of events) expect(await deliver(relay.handler, event)).toBe(200);
});

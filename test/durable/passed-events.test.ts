import { pollEvents, type Checkpoint, type EventInboxOptions } from 'market-partner-sdk/durable';
import { beforeEach, expect, it } from 'vitest';
import type { QueueEngine } from '../../src/durable/queue/engine.js';
import { drain, useInboxHarness } from './support/inbox-harness.js';
import { secret } from './support/market-world.js';

const harness = useInboxHarness();
let engine: QueueEngine;

beforeEach(() => void ({ engine } = harness));

const inboxWith = (startFrom: EventInboxOptions['startFrom']) =>
  harness.inbox({ engine, startFrom });

/** Two events an hour ago, and two now. */
async function sellTwice() {
  await harness.world.sell(2);
  await harness.world.time.advance(3_600_000);
  await harness.world.sell(2);
  return harness.world.events();
}

it('an event that "now" passed is answered 200, also by the next process, and not handled', async () => {
  const events = await sellTwice();
  await inboxWith('now').poll();
  for (const event of events) expect(await harness.deliver(inboxWith('now'), event)).toBe(200);
  const before = harness.world.emulator.requests.length;
  await harness.deliver(inboxWith('now'), events[0]!);
  expect(harness.world.emulator.requests.length - before).toBe(1);
  const next = (await harness.sold(1)).at(-1)!;
  expect(await harness.deliver(inboxWith('now'), next)).toBe(200);
  await drain(inboxWith('now'));
  const { order } = next.data as { order: { public_id: string } };
  expect(harness.handled).toEqual([`order.recorded ${order.public_id}`]);
});

it('an event that the history shows late, close to "now", is never taken for a passed one', async () => {
  await sellTwice();
  const [, , , last] = await harness.world.events();
  await inboxWith('now').poll();
  const createdAt = new Date(Date.parse(last!.created_at) - 60_000).toISOString();
  const late = { ...last!, id: 'evt_late', created_at: createdAt };
  expect(await harness.deliver(inboxWith('now'), late)).toBe(503);
});

it('an event at or long before "after_id" is answered 200', async () => {
  const [first, second, third] = await sellTwice();
  const startFrom = { after_id: second!.id };
  await inboxWith(startFrom).poll();
  expect(await harness.deliver(inboxWith(startFrom), second!)).toBe(200);
  expect(await harness.deliver(inboxWith(startFrom), first!)).toBe(200);
  expect(await harness.deliver(inboxWith(startFrom), third!)).toBe(200);
});

it('where "after_id" is the last event, the first one after it shows what lies before', async () => {
  const [first, second] = await harness.sold(2);
  const startFrom = { after_id: second!.id };
  await inboxWith(startFrom).poll();
  expect(await harness.deliver(inboxWith(startFrom), second!)).toBe(200);
  expect(await harness.deliver(inboxWith(startFrom), first!)).toBe(503);
  await harness.world.time.advance(3_600_000);
  await harness.world.sell(1);
  await inboxWith(startFrom).poll();
  expect(await harness.deliver(inboxWith(startFrom), first!)).toBe(200);
});

it('a relay answers 200 for what it passed', async () => {
  const events = await sellTwice();
  let saved: Checkpoint | undefined;
  const relay = pollEvents({
    logger: false,
    market: harness.world.market,
    secret,
    startFrom: 'now',
    ...harness.world.time.options,
    checkpoint: { read: () => saved, write: (checkpoint) => void (saved = checkpoint) },
    enqueue: ({ length }) => expect(length).toBe(0),
  });
  for (const event of events) expect(await harness.deliver(relay.handler, event)).toBe(200);
});

import { once } from 'node:events';
import {
  createEventInbox,
  memoryEngine,
  type EventInbox,
  type EventInboxOptions,
} from 'market-partner-sdk/durable';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { MarketWorld, secret } from './support/market-world.js';

let world: MarketWorld;
let tried: string[];
let isBroken: (id: string) => boolean;
const inboxes: EventInbox[] = [];

beforeEach(async () => {
  world = await MarketWorld.start();
  tried = [];
  isBroken = () => true;
});
afterEach(async () => {
  for (const inbox of inboxes.splice(0)) await inbox.stop({ graceMs: 0 });
  await world.stop();
});

/** One attempt for each event; without concurrency, so that each dead letter is seen alone. */
function inboxWith(options: Partial<EventInboxOptions> = {}): EventInbox {
  const inbox = createEventInbox({
    logger: false,
    market: world.market,
    secret,
    startFrom: 'beginning',
    random: () => 0.5,
    engine: memoryEngine(world.time.options),
    ...world.time.options,
    retry: { maxAttempts: 1 },
    concurrency: 1,
    on: {
      'order.recorded': ({ id }) => {
        tried.push(id);
        if (isBroken(id)) throw new Error('no such column');
      },
    },
    ...options,
  });
  inboxes.push(inbox);
  return inbox;
}

it('20 dead letters in a row pause handling, not intake; the first handled event ends the pause', async () => {
  const inbox = inboxWith();
  await inbox.start();
  await world.sell(30);
  await inbox.poll();
  await world.time.advance(1_000);
  expect(tried).toHaveLength(20);
  const paused = await inbox.status();
  expect(paused).toMatchObject({ dead: 20, waiting: 10 });
  expect(paused.paused).toContain('Paused after 20 consecutive dead letters');

  await world.sell(1);
  const delivery = await world.delivery((await world.events()).at(-1)!);
  expect((await inbox.handle(delivery)).status).toBe(200);
  await world.time.advance(60_000);
  expect(tried).toHaveLength(21);
  await world.time.advance(58_000);
  expect(tried).toHaveLength(21);

  isBroken = () => false;
  await world.time.advance(2_000);
  expect(tried).toHaveLength(31);
  expect(await inbox.status()).toMatchObject({ dead: 21, waiting: 0, paused: null });
});

it('a handled event between dead letters begins the count anew', async () => {
  const inbox = inboxWith();
  await world.sell(40);
  const ids = (await world.events()).map(({ id }) => id);
  isBroken = (id) => id !== ids[19];
  expect(await inbox.drain({ maxMs: 10_000 })).toEqual({
    handled: 1,
    failed: 0,
    dead: 39,
    left: 0,
  });
  expect(await inbox.status()).toMatchObject({ paused: expect.stringContaining('20 consecutive') });
});

it('an event that is to be tried again keeps the pause', async () => {
  const inbox = inboxWith({ retry: { maxAttempts: 2, baseMs: 2, maxMs: 2 } });
  await inbox.start();
  await world.sell(20);
  await inbox.poll();
  await world.time.advance(10_000);
  expect(await inbox.status()).toMatchObject({ dead: 20, waiting: 0 });
  await world.sell(1);
  await inbox.poll();
  await world.time.advance(60_000);
  expect(tried).toHaveLength(41);
  expect(await inbox.status()).toMatchObject({ dead: 20, waiting: 1 });
  await world.time.advance(60_000);
  expect(tried).toHaveLength(42);
  expect(await inbox.status()).toMatchObject({ dead: 21, waiting: 0 });
});

it('a drain tries nothing during the pause, and one event after it', async () => {
  const inbox = inboxWith();
  await world.sell(30);
  const drain = () => inbox.drain({ maxMs: 10_000 });
  expect(await drain()).toMatchObject({ dead: 20, left: 10 });
  await world.time.advance(59_000);
  expect(await drain()).toMatchObject({ dead: 0, left: 10 });
  await world.time.advance(1_000);
  expect(await drain()).toMatchObject({ dead: 1, left: 9 });
  await world.time.advance(60_000);
  isBroken = () => false;
  expect(await drain()).toMatchObject({ handled: 9, left: 0 });
});

it('a drain goes on when an event that was running ends the pause at once', async () => {
  await world.sell(40);
  const ids = (await world.events()).map(({ id }) => id);
  const lastDead = new AbortController();
  const inbox = inboxWith({
    concurrency: 2,
    on: {
      'order.recorded': async ({ id }) => {
        const place = ids.indexOf(id);
        if (place === 0) await once(lastDead.signal, 'abort');
        else if (place <= 20) throw new Error('no such column');
      },
    },
    onDeadLetter: ({ id }) => {
      if (id === ids[20]) lastDead.abort();
    },
  });
  expect(await inbox.drain({ maxMs: 10_000 })).toEqual({
    handled: 20,
    failed: 0,
    dead: 20,
    left: 0,
  });
});

it('stops at once during the pause', async () => {
  const inbox = inboxWith();
  await inbox.start();
  await world.sell(20);
  await inbox.poll();
  await world.time.advance(1_000);
  expect(await inbox.status()).toMatchObject({ dead: 20 });
  await inbox.stop();
  expect(tried).toHaveLength(20);
});

it('one event is tried after each pause, at any concurrency', async () => {
  const inbox = inboxWith({ concurrency: 4 });
  await world.sell(40);
  await inbox.start();
  await world.time.advance(1_000);
  const triedBefore = tried.length;
  expect(await inbox.status()).toMatchObject({ paused: expect.stringContaining('Paused') });
  await world.time.advance(60_000);
  expect(tried).toHaveLength(triedBefore + 1);
  await world.time.advance(60_000);
  expect(tried).toHaveLength(triedBefore + 2);
});

it('the pause lasts a minute, although the clock is set back meanwhile', async () => {
  vi.spyOn(performance, 'now').mockImplementation(() => world.time.nowMs);
  onTestFinished(() => void vi.restoreAllMocks());
  let aheadMs = 86_400_000;
  const inbox = inboxWith({ clock: () => world.time.nowMs + aheadMs });
  await world.sell(30);
  const drain = () => inbox.drain({ maxMs: 10_000 });
  expect(await drain()).toMatchObject({ dead: 20, left: 10 });
  aheadMs = 0;
  await world.time.advance(59_000);
  expect(await drain()).toMatchObject({ dead: 0, left: 10 });
  await world.time.advance(1_000);
  expect(await drain()).toMatchObject({ dead: 1, left: 9 });
});

import type { EventInbox, EventInboxOptions } from 'market-partner-sdk/durable';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { drain, useInboxHarness } from './support/inbox-harness.js';

const harness = useInboxHarness();
let tried: string[];
let isBroken: (id: string) => boolean;

beforeEach(() => {
  tried = [];
  isBroken = () => true;
});

/** One attempt for each event where others succeed; without concurrency, so that each dead letter is seen alone. */
function inboxWith(options: Partial<EventInboxOptions> = {}): EventInbox {
  return harness.inbox({
    retry: { maxAttempts: 1, baseMs: 1_000, maxMs: 1_000 },
    concurrency: 1,
    on: {
      'order.recorded': ({ id }) => {
        tried.push(id);
        if (isBroken(id)) throw new Error('no such column');
      },
    },
    ...options,
  });
}

/** For a minute, everything fails. */
async function failForAMinute(inbox: EventInbox): Promise<void> {
  await inbox.start();
  await inbox.poll();
  await harness.world.time.advance(62_000);
  expect((await inbox.status()).paused).toContain('no listener has succeeded for over a minute');
}

it('a minute in which nothing succeeds pauses handling, not intake; the first handled event ends the pause', async () => {
  const inbox = inboxWith();
  await harness.world.sell(30);
  await failForAMinute(inbox);
  expect(await inbox.status()).toMatchObject({ dead: 0, waiting: 30 });
  expect(harness.logged('error')).toEqual(['Event handling paused; intake continues.']);

  const before = tried.length;
  await harness.world.sell(1);
  const delivery = await harness.world.delivery((await harness.world.events()).at(-1)!);
  expect((await inbox.handle(delivery)).status).toBe(200);
  await harness.world.time.advance(60_000);
  expect(tried).toHaveLength(before + 1);

  isBroken = () => false;
  await harness.world.time.advance(960_000);
  expect(await inbox.status()).toMatchObject({ dead: 0, waiting: 0, paused: null });
  expect(harness.logged('error')).toHaveLength(1);
});

it.each([75, 24 * 60])('an outage of %i minutes costs no event its attempts', async (minutes) => {
  const inbox = inboxWith({ retry: { maxAttempts: 12 } });
  await harness.world.sell(5);
  const drainFor = async (howLong: number) => {
    for (let minute = 0; minute < howLong; minute += 5) {
      await inbox.drain({ maxMs: 10_000 });
      await harness.world.time.advance(300_000);
    }
  };
  await drainFor(minutes);
  expect(await inbox.status()).toMatchObject({ dead: 0, waiting: 5 });
  isBroken = () => false;
  await drainFor(20);
  expect(await inbox.status()).toMatchObject({ dead: 0, waiting: 0, paused: null });
});

it('an event that fails while others succeed becomes a dead letter', async () => {
  const inbox = inboxWith({ retry: { maxAttempts: 12, baseMs: 1_000, maxMs: 60_000 } });
  const [bad] = await harness.world.sell(1).then(() => harness.world.events());
  isBroken = (id) => id === bad!.id;
  await inbox.start();
  for (let minute = 0; minute < 20; minute += 1) {
    await harness.world.sell(1);
    await inbox.poll();
    await harness.world.time.advance(60_000);
  }
  expect(await inbox.deadLetters()).toMatchObject([{ id: bad!.id, attempts: 12 }]);
  expect(await inbox.status()).toMatchObject({ waiting: 0, paused: null });
});

it('an event that has failed in an outage has all its attempts after it', async () => {
  const inbox = inboxWith({ retry: { maxAttempts: 3, baseMs: 1_000, maxMs: 60_000 } });
  const [bad] = await harness.sold(4);
  await failForAMinute(inbox);
  await harness.world.time.advance(20 * 60_000);
  const before = tried.filter((id) => id === bad!.id).length;
  isBroken = (id) => id === bad!.id;
  for (let minute = 0; minute < 60; minute += 1) {
    await harness.world.sell(1);
    await inbox.poll();
    await harness.world.time.advance(60_000);
  }
  const after = tried.filter((id) => id === bad!.id).length - before;
  expect(after).toBeGreaterThanOrEqual(3);
  expect(await inbox.deadLetters()).toMatchObject([{ id: bad!.id, attempts: 3 }]);
});

it('each event that fails has its turn: one that would succeed does not wait behind them', async () => {
  const inbox = inboxWith();
  await harness.world.sell(3);
  const bad = (await harness.world.events()).map(({ id }) => id);
  isBroken = (id) => bad.includes(id);
  await failForAMinute(inbox);
  await harness.world.sell(1);
  await inbox.poll();
  await harness.world.time.advance(4 * 60_000);
  expect(tried.filter((id) => !bad.includes(id))).toHaveLength(1);
});

it('a drain tries nothing during the pause, and one event after it', async () => {
  const inbox = inboxWith();
  await harness.world.sell(30);
  expect(await drain(inbox)).toMatchObject({ failed: 30, dead: 0, left: 30 });
  await harness.world.time.advance(61_000);
  expect(await drain(inbox)).toMatchObject({ failed: 1, left: 30 });
  await harness.world.time.advance(59_000);
  expect(await drain(inbox)).toMatchObject({ failed: 0, left: 30 });
  await harness.world.time.advance(1_000);
  expect(await drain(inbox)).toMatchObject({ failed: 1, left: 30 });
  await harness.world.time.advance(900_000);
  isBroken = () => false;
  expect(await drain(inbox)).toMatchObject({ handled: 30, left: 0 });
});

it('a drain goes on when an event that was running ends the pause at once', async () => {
  const inbox = inboxWith({ concurrency: 2 });
  await harness.world.sell(10);
  expect(await drain(inbox)).toMatchObject({ failed: 10 });
  await harness.world.time.advance(61_000);
  expect(await drain(inbox)).toMatchObject({ failed: 2 });
  await harness.world.time.advance(960_000);
  let runs = 0;
  isBroken = () => (runs += 1) === 5;
  expect(await drain(inbox)).toMatchObject({ handled: 9, dead: 1, left: 0 });
});

it('stops at once during the pause', async () => {
  const inbox = inboxWith();
  await harness.world.sell(20);
  await failForAMinute(inbox);
  const before = tried.length;
  await inbox.stop();
  expect(tried).toHaveLength(before);
});

it('one event is tried after each pause, at any concurrency', async () => {
  const inbox = inboxWith({ concurrency: 4 });
  await harness.world.sell(40);
  await failForAMinute(inbox);
  const before = tried.length;
  await harness.world.time.advance(60_000);
  expect(tried).toHaveLength(before + 1);
  await harness.world.time.advance(60_000);
  expect(tried).toHaveLength(before + 2);
});

it('the pause lasts a minute, although the clock is set back meanwhile', async () => {
  vi.spyOn(performance, 'now').mockImplementation(() => harness.world.time.nowMs);
  onTestFinished(() => void vi.restoreAllMocks());
  let aheadMs = 86_400_000;
  const inbox = inboxWith({ clock: () => harness.world.time.nowMs + aheadMs });
  await harness.world.sell(30);
  expect(await drain(inbox)).toMatchObject({ failed: 30 });
  await harness.world.time.advance(61_000);
  expect(await drain(inbox)).toMatchObject({ failed: 1 });
  aheadMs = 0;
  await harness.world.time.advance(59_000);
  expect(await drain(inbox)).toMatchObject({ failed: 0 });
  await harness.world.time.advance(1_000);
  expect(await drain(inbox)).toMatchObject({ failed: 1 });
});

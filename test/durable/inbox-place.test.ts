import { pollEvents, type Checkpoint } from 'market-partner-sdk/durable';
import { fault } from 'market-partner-sdk/testing';
import { expect, it } from 'vitest';
import { gate } from './engine-kit/engine-harness.js';
import { drain, marketOf, useInboxHarness } from './support/inbox-harness.js';
import { secret } from './support/market-world.js';

const harness = useInboxHarness();

it('an inbox begins at the beginning, at an event, or now', async () => {
  const [first] = await harness.sold(3);
  const now = harness.inbox({ startFrom: 'now' });
  expect(await now.poll()).toMatchObject({ added: 0, skipped: 3 });
  const after = harness.inbox({ startFrom: { after_id: first!.id } });
  expect(await after.poll()).toMatchObject({ added: 2 });
  expect(await harness.inbox().poll()).toMatchObject({ added: 3 });
  await harness.world.sell(1);
  expect(await now.poll()).toMatchObject({ added: 1 });
  expect(await after.poll()).toMatchObject({ added: 1 });
});

it('an inbox that began "now" with an empty history handles the first event', async () => {
  const inbox = harness.inbox({ startFrom: 'now' });
  expect(await inbox.poll()).toMatchObject({ skipped: 0 });
  await harness.world.sell(1);
  expect(await inbox.poll()).toMatchObject({ added: 1 });
});

it('an inbox that began "now" handles what came after the first complete reading of any process', async () => {
  await harness.world.sell(1);
  const { engine, world } = harness;
  const shared = { engine, startFrom: 'now', environment: 'sandbox' } as const;
  const first = harness.inbox(shared);
  const { opened, open } = gate();
  const list: typeof world.market.events.list = (...request) =>
    opened.then(() => world.market.events.list(...request)) as never;
  const slow = harness.inbox({ ...shared, market: { events: { list } } as never });
  const reading = slow.poll();
  expect(await first.poll()).toMatchObject({ skipped: 1 });
  await world.sell(1);
  open();
  expect(await reading).toMatchObject({ added: 1, skipped: 0 });
});

it('a poll reads a long history page by page and reports its progress', async () => {
  await harness.world.sell(25);
  const upTo: number[] = [];
  const onProgress = ({ read }: { read: number }) => upTo.push(read);
  const inbox = harness.inbox({ poll: { pageSize: 10 }, onProgress });
  expect(await inbox.poll()).toMatchObject({ read: 25, added: 25 });
  expect(upTo.slice(0, 3)).toEqual([10, 20, 25]);
});

it('a poll goes on where the one before broke off', async () => {
  await harness.world.sell(25);
  const inbox = harness.inbox({ poll: { pageSize: 10 } });
  let reads = 0;
  const isSecondPage = ({ endpoint }: { endpoint: string | undefined }) =>
    endpoint === 'GET /events' && (reads += 1) >= 2;
  harness.world.emulator.faults.on(isSecondPage, fault.internalError());
  await expect(inbox.poll()).rejects.toMatchObject({ response: { status: 500 } });
  expect(await inbox.status()).toMatchObject({ waiting: 10 });
  harness.world.emulator.faults.clear();
  await drain(inbox);
  expect(new Set(harness.handled).size).toBe(25);
  expect(harness.handled).toHaveLength(25);
});

it('an inbox recovers from a checkpoint that the service refuses without handling anything twice', async () => {
  await harness.world.sell(5);
  const inbox = harness.inbox();
  await drain(inbox);
  await harness.world.sell(1);
  const hasPlace = ({ rawQuery }: { rawQuery: string }) => rawQuery.includes('after_id');
  harness.world.emulator.faults.on(hasPlace, fault.status(400));
  // The end of the history is behind such a place, too: a page of the whole is read.
  await inbox.poll().catch(() => undefined);
  harness.world.emulator.faults.clear();
  await drain(inbox);
  expect(harness.handled).toHaveLength(6);
  expect(new Set(harness.handled).size).toBe(6);
});

it('intake goes on after a gap in the history, and says so', async () => {
  await harness.restart({ historyRetention: '7 days' });
  const inbox = harness.inbox();
  await harness.world.sell(2);
  await drain(inbox);
  await harness.world.time.advance(8 * 86_400_000);
  await harness.world.sell(1);
  expect(await inbox.poll()).toMatchObject({ added: 1 });
  expect((await inbox.status()).gap).toMatchObject({ name: 'HistoryGapError' });
  expect(harness.logged('error')).toEqual([
    'The history lost events that were never read; intake goes on with the rest.',
  ]);
  await inbox.poll();
  expect((await inbox.status()).gap).not.toBeNull();
});

it('intake stops at a gap in the history when "onGap" says so', async () => {
  await harness.restart({ historyRetention: '7 days' });
  const engine = harness.engine;
  const inbox = harness.inbox({ engine, onGap: () => 'stop' });
  await harness.world.sell(2);
  await drain(inbox);
  await harness.world.time.advance(8 * 86_400_000);
  await harness.world.sell(1);
  await expect(inbox.poll()).rejects.toMatchObject({ name: 'HistoryGapError' });
  const started = harness.inbox({ engine, onGap: () => 'stop' }).start();
  await expect(started).rejects.toMatchObject({ name: 'HistoryGapError' });
  expect((await inbox.status()).gap).toMatchObject({ name: 'HistoryGapError' });
  const delivery = await harness.world.delivery((await harness.world.events())[0]!);
  expect((await inbox.handle(delivery)).status).toBe(503);

  const going = harness.inbox({ engine, onGap: () => 'from_beginning' });
  expect(await going.poll()).toMatchObject({ added: 1 });
});

it('an event that was handled and forgotten is not handled again', async () => {
  const inbox = harness.inbox({ keepDoneMs: 86_400_000 });
  await harness.world.sell(2);
  await drain(inbox);
  const [first] = await harness.world.events();
  await harness.world.time.advance(2 * 86_400_000);
  expect(await inbox.prune()).toBe(2);
  await harness.world.sell(1);
  await drain(inbox);
  expect((await inbox.handle(await harness.world.delivery(first!))).status).toBe(200);
  await drain(inbox);
  expect(harness.handled).toHaveLength(3);
});

it('a periodic poll is skipped when another process polled just now', async () => {
  const engine = harness.engine;
  const one = harness.inbox({ engine });
  const two = harness.inbox({ engine });
  await one.start();
  await two.start();
  const before = harness.reads;
  await harness.world.time.advance(10 * 60_000);
  expect(harness.reads - before).toBeGreaterThanOrEqual(8);
  expect(harness.reads - before).toBeLessThanOrEqual(14);
});

it('a history that fails behind the checkpoint is not a gap, and the next poll goes on', async () => {
  const inbox = harness.inbox();
  await harness.world.sell(2);
  await drain(inbox);
  harness.world.emulator.faults.on('GET /events', fault.internalError());
  await expect(inbox.poll()).rejects.toMatchObject({ response: { status: 500 } });
  expect((await inbox.status()).gap).toBeNull();
  harness.world.emulator.faults.clear();
  await harness.world.sell(1);
  await drain(inbox);
  expect(harness.handled).toHaveLength(3);
});

it('a long overlap is remembered by fewer anchors and still finds late events', async () => {
  const inbox = harness.inbox({ poll: { overlapEvents: 250, overlapMs: 0 } });
  await harness.world.sell(240);
  harness.world.emulator.faults.history.late('2 minutes', { times: 1 });
  await harness.world.sell(1);
  await harness.world.sell(20);
  await drain(inbox);
  expect(harness.handled).toHaveLength(260);
  await harness.world.time.advance(121_000);
  expect(await inbox.poll()).toMatchObject({ added: 1, late: 1 });
});

it('a checkpoint that was written by a clock ahead of its time stops no poll', async () => {
  const { time } = harness.world;
  const inbox = harness.inbox();
  await inbox.start();
  time.nowMs += 30 * 86_400_000;
  await inbox.poll();
  time.nowMs -= 30 * 86_400_000;
  await harness.world.sell(1);
  await time.advance(80_000);
  expect(harness.handled).toHaveLength(1);
});

it.each([
  ['is too long', 'x'.repeat(1_001)],
  ['contains NUL', 'evt\0'],
  ['contains half a character', 'evt_\ud800'],
  ['is empty', ''],
  ['is a space', ' '],
  ['is white space', '\u00a0\t\n'],
])('an event whose id %s is skipped with one error line', async (_what, id) => {
  const events = await harness.sold(2);
  const items = [events[0], { ...events[0], id }, { id: 7 }, events[1]];
  const inbox = harness.inbox({ market: marketOf(items) });
  await inbox.start();
  expect(await inbox.poll()).toMatchObject({ read: 2 });
  await harness.world.time.advance(1_000);
  expect(harness.handled).toHaveLength(2);
  const lines = harness.log.lines.filter(({ level }) => level === 'error');
  expect(lines.map(({ fields }) => fields.why)).toEqual([
    expect.stringContaining('"id" must'),
    '"id" must be a string',
  ]);
});

it.each([
  ['a space', ' '],
  ['white space', '\u00a0\n'],
])(
  'a history that ends with an event whose id is %s is read on, and each delivery is answered',
  async (_what, id) => {
    const fetch: typeof globalThis.fetch = async (address, init) => {
      const response = await harness.world.emulator.fetch(address, init);
      const text = await response.text();
      const shown = JSON.stringify(lastId);
      return new Response(text.replaceAll(shown, JSON.stringify(id)), response);
    };
    let lastId = 'none';
    const inbox = harness.inbox({ market: harness.world.client({ fetch }) });
    const relayed: string[] = [];
    let saved: Checkpoint | undefined;
    const relay = pollEvents({
      market: harness.world.client({ fetch }),
      secret,
      startFrom: 'beginning',
      logger: harness.log.logger,
      ...harness.world.time.options,
      checkpoint: { read: () => saved, write: (checkpoint) => void (saved = checkpoint) },
      enqueue: (events) => relayed.push(...events.map((event) => event.id)),
    });
    const [first, last] = await harness.sold(2);
    lastId = last!.id;
    await inbox.start();
    await relay.poll();
    expect(harness.logged('error')).toHaveLength(2);
    const blank = { ...last!, id };
    for (const receiver of [inbox, relay.handler, inbox]) {
      expect(await harness.deliver(receiver, blank)).toBe(200);
    }
    expect(harness.logged('error')).toHaveLength(5);
    await inbox.poll();
    await relay.poll();
    expect((await inbox.status()).lastPollError).toBeNull();
    const next = (await harness.sold(1)).at(-1)!;
    expect(await harness.deliver(inbox, next)).toBe(200);
    expect(await harness.deliver(relay.handler, next)).toBe(200);
    expect(harness.handled).toHaveLength(2);
    expect([...new Set(relayed)]).toEqual([first!.id, next.id]);
    expect(harness.logged('error')).toHaveLength(5);
  },
);

it('an event that is nested too deep to be stored as JSON holds back no other', async () => {
  const events = await harness.sold(2);
  const data: unknown = JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`);
  const inbox = harness.inbox({ market: marketOf([{ ...events[0], data }, events[1]]) });
  await inbox.start();
  expect(await inbox.poll()).toMatchObject({ read: 1 });
  const lines = harness.log.lines.filter(({ level }) => level === 'error');
  expect(lines.map(({ fields }) => fields.why)).toEqual(['its JSON is nested too deep']);
});

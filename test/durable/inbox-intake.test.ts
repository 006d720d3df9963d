import { fault } from 'market-partner-sdk/testing';
import { expect, it } from 'vitest';
import { drain, useInboxHarness } from './support/inbox-harness.js';
import { withQueues } from './support/open-engines.js';

const harness = useInboxHarness();

it('a delivery is answered 200 once its event is stored, and the event is handled once no matter how often it comes', async () => {
  const inbox = harness.inbox();
  const [event] = await harness.sold(1);
  const delivery = await harness.world.delivery(event!);
  expect((await inbox.handle(delivery)).status).toBe(200);
  expect(await inbox.status()).toMatchObject({ waiting: 1, duplicates: 0 });
  expect((await inbox.handle(delivery)).status).toBe(200);
  expect(await drain(inbox)).toEqual({ handled: 1, failed: 0, dead: 0, left: 0 });
  expect((await inbox.handle(delivery)).status).toBe(200);
  await drain(inbox);
  expect(harness.handled).toHaveLength(1);
  expect(await inbox.status()).toMatchObject({ duplicates: 2, missedWebhooks: 0 });
});

it('a delivery with a wrong signature is refused, and nothing is stored', async () => {
  const inbox = harness.inbox();
  const [event] = await harness.sold(1);
  const { body } = await harness.world.delivery(event!);
  const headers = { 'x-market-signature': 'a'.repeat(64) };
  expect((await inbox.handle({ headers, body })).status).toBe(401);
  expect(await inbox.status()).toMatchObject({ waiting: 0 });
});

it('a delivery is answered 503 while the history is down, and its event is not lost', async () => {
  const inbox = harness.inbox();
  const [event] = await harness.sold(1);
  const delivery = await harness.world.delivery(event!);
  harness.world.emulator.faults.on('GET /events', fault.internalError());
  expect((await inbox.handle(delivery)).status).toBe(503);
  harness.world.emulator.faults.clear();
  await drain(inbox);
  expect(harness.handled).toHaveLength(1);
});

it('a delivery is answered 503 when the engine fails', async () => {
  const enqueue = () => Promise.reject(new Error('disk full'));
  const inbox = harness.inbox({ engine: withQueues(harness.engine, () => ({ enqueue })) });
  const [event] = await harness.sold(1);
  const delivery = await harness.world.delivery(event!);
  expect((await inbox.handle(delivery)).status).toBe(503);
});

it('a delivery waits a moment for a history that lags behind it', async () => {
  const inbox = harness.inbox();
  harness.world.emulator.faults.history.late(1_000);
  await harness.world.sell(1);
  const id = (await recordedIds()).at(-1)!;
  const delivery = await harness.world.delivery(orderEvent(id));
  const answer = inbox.handle(delivery);
  await harness.world.time.advance(1_500);
  expect((await answer).status).toBe(200);
});

it('a delivery is answered 503 when the history does not show its event in time', async () => {
  const inbox = harness.inbox();
  const answer = inbox.handle(await harness.world.delivery(orderEvent('evt_unknown')));
  await harness.world.time.advance(5_000);
  expect((await answer).status).toBe(503);
  expect(await inbox.status()).toMatchObject({ waiting: 0 });
});

it('deliveries that come at once share polls', async () => {
  const inbox = harness.inbox();
  const events = await harness.sold(20);
  const before = harness.world.emulator.requests.length;
  const deliveries = await Promise.all(events.map((event) => harness.world.delivery(event)));
  const answering = Promise.all(deliveries.map((delivery) => inbox.handle(delivery)));
  await harness.world.time.advance(1_000);
  const answers = await answering;
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(harness.world.emulator.requests.length - before).toBeLessThan(10);
  await drain(inbox);
  expect(harness.handled).toHaveLength(20);
});

it('a poll finds events whose webhooks were lost, and counts them', async () => {
  const seen: boolean[] = [];
  const inbox = harness.inbox({
    on: { 'order.recorded': (_event, { viaWebhook }) => seen.push(viaWebhook) },
  });
  await harness.world.sell(3);
  expect(await inbox.poll()).toMatchObject({ read: 3, added: 3, missedWebhooks: 0 });
  const [first] = await harness.world.events();
  expect((await inbox.handle(await harness.world.delivery(first!))).status).toBe(200);
  await drain(inbox);
  expect(seen).toEqual([true, false, false]);
  await harness.world.time.advance(61_000);
  expect(await inbox.status()).toMatchObject({ missedWebhooks: 2 });
});

it('a poll finds an event that the history shows behind the checkpoint', async () => {
  const inbox = harness.inbox();
  harness.world.emulator.faults.history.late('2 minutes', { times: 1 });
  await harness.world.sell(1);
  await harness.world.sell(3);
  await drain(inbox);
  expect(harness.handled).toHaveLength(3);
  await harness.world.time.advance(121_000);
  expect(await inbox.poll()).toMatchObject({ added: 1, late: 1 });
  await drain(inbox);
  expect(harness.handled).toHaveLength(4);
  expect(await inbox.status()).toMatchObject({ late: 1 });
});

it('events of types without a listener are skipped, and onUnknown takes those of later versions', async () => {
  const unknown: string[] = [];
  const inbox = harness.inbox({ onUnknown: ({ type }) => unknown.push(type) });
  const delivery = await harness.world.delivery({
    id: 'evt_x',
    type: 'order.settled',
    created_at: '2026-03-01T12:00:00Z',
    data: {},
  });
  expect((await inbox.handle(delivery)).status).toBe(200);
  await harness.world.sell(1);
  await drain(inbox);
  expect([unknown, harness.handled.length]).toEqual([[], 1]);
});

it('a delivery of an event that was handled and forgotten long ago is answered 200 and not stored', async () => {
  const inbox = harness.inbox({ keepDoneMs: 86_400_000 });
  const old = { id: 'evt_old', type: 'order.recorded', created_at: '2026-01-01T00:00:00Z' };
  const delivery = await harness.world.delivery({
    ...old,
    data: { order: { public_id: 'ord_1' } },
  });
  const before = harness.world.emulator.requests.length;
  expect((await inbox.handle(delivery)).status).toBe(200);
  expect(harness.world.emulator.requests).toHaveLength(before);
  expect(await inbox.status()).toMatchObject({ waiting: 0 });
});

const orderEvent = (id: string) => ({
  id,
  type: 'order.recorded',
  created_at: new Date(harness.world.time.nowMs).toISOString(),
  data: { order: { public_id: 'ord_x' } },
});

/** Ids of events, also of those that the history hides for now. */
async function recordedIds(): Promise<string[]> {
  const { nowMs } = harness.world.time;
  harness.world.time.nowMs += 3_600_000;
  const events = await harness.world.events();
  harness.world.time.nowMs = nowMs;
  return events.map(({ id }) => id);
}

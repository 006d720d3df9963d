import { pollEvents, type Checkpoint } from 'market-partner-sdk/durable';
import { expect, it } from 'vitest';
import { drain, useInboxHarness } from './support/inbox-harness.js';
import { secret } from './support/market-world.js';

const harness = useInboxHarness();

/** A sale whose event the history hides for a day, after one that every process knows. */
async function sellHidden() {
  const [known] = await harness.sold(1);
  await harness.world.time.advance(1_000);
  harness.world.emulator.faults.history.late('1 day', { times: 1 });
  const [order] = await harness.world.sell(1);
  const created_at = new Date(harness.world.time.nowMs).toISOString();
  await harness.world.time.advance(1_000);
  await harness.world.sell(1);
  const data = { order: { public_id: order!.public_id } };
  const hidden = { id: 'evt_hidden', type: 'order.recorded', created_at, data };
  return { known: known!, hidden };
}

it('an event that the history does not show is handled from its delivery after the overlap', async () => {
  const inbox = harness.inbox();
  const { known, hidden } = await sellHidden();
  expect(await harness.deliver(inbox, known)).toBe(200);
  const statuses: number[] = [];
  for (let delivery = 0; delivery < 5; delivery += 1) {
    statuses.push(await harness.deliver(inbox, hidden));
    await harness.world.time.advance(100_000);
  }
  expect(statuses).toEqual([503, 503, 503, 200, 200]);
  await drain(inbox);
  expect(harness.handled.filter((line) => line.endsWith(hidden.data.order.public_id))).toHaveLength(
    1,
  );
  expect(await inbox.status()).toMatchObject({ late: 1 });
  expect(harness.logged('warn').join()).toContain('stored as delivered');
});

it('an event that is delivered only once is handled by the poll after the overlap', async () => {
  const inbox = harness.inbox();
  await inbox.start();
  const { known, hidden } = await sellHidden();
  expect(await harness.deliver(inbox, known)).toBe(200);
  expect(await harness.deliver(inbox, hidden)).toBe(503);
  await harness.world.time.advance(10 * 60_000);
  expect(harness.handled.filter((line) => line.endsWith(hidden.data.order.public_id))).toHaveLength(
    1,
  );
  expect(await inbox.status()).toMatchObject({ late: 1, waiting: 0 });
});

it('an event that the history shows within the overlap is not counted as stored from its delivery', async () => {
  const inbox = harness.inbox();
  const [known] = await harness.sold(1);
  await harness.deliver(inbox, known!);
  const lagging = {
    ...known!,
    id: 'evt_lagging',
    created_at: new Date(harness.world.time.nowMs).toISOString(),
  };
  expect(await harness.deliver(inbox, lagging)).toBe(503);
  expect(harness.logged('warn').join()).toContain('the history does not show its event yet');
  expect(await inbox.status()).toMatchObject({ late: 0, waiting: 1 });
});

it('an event that a poll passed before its listener existed is handled when it is delivered', async () => {
  const engine = harness.engine;
  const poll = { overlapEvents: 0 };
  const on = { 'order.recorded': harness.record };
  const before = harness.inbox({ engine, poll, on });
  const [order] = await harness.world.sell(1);
  harness.world.emulator.admin.startTransfer(order!.public_id);
  const [recorded, started] = await harness.world.events();
  expect(await harness.deliver(before, recorded!)).toBe(200);
  await harness.world.time.advance(3_600_000);
  await harness.world.sell(1);
  await drain(before);
  const after = harness.inbox({ engine, poll });
  expect(await harness.deliver(after, started!)).toBe(200);
  await drain(after);
  expect(harness.handled.at(-1)).toBe(`order.transfer_started ${order!.public_id}`);
});

it('a restarted relay answers 200 to a delivery of an event that lies behind the overlap', async () => {
  let saved: Checkpoint | undefined;
  const queued: string[] = [];
  const relay = () =>
    pollEvents({
      market: harness.world.market,
      secret,
      startFrom: 'beginning',
      logger: harness.log.logger,
      ...harness.world.time.options,
      poll: { overlapEvents: 0 },
      checkpoint: { read: () => saved, write: (checkpoint) => void (saved = checkpoint) },
      enqueue: (events) => void queued.push(...events.map(({ id }) => id)),
    });
  const [first] = await harness.sold(1);
  const before = relay();
  expect(await harness.deliver(before.handler, first!)).toBe(200);
  await harness.world.time.advance(3_600_000);
  await harness.world.sell(1);
  await before.poll();
  const restarted = relay();
  expect(await harness.deliver(restarted.handler, first!)).toBe(200);
  expect(queued.filter((id) => id === first!.id).length).toBeGreaterThan(0);
  expect(restarted.status()).toMatchObject({ gap: null });
});

it('a delivery that can never be stored holds back none that came after it', async () => {
  const inbox = harness.inbox();
  await inbox.start();
  const { known, hidden } = await sellHidden();
  expect(await harness.deliver(inbox, known)).toBe(200);
  expect(await harness.deliver(inbox, { ...hidden, id: 'evt\0' })).toBe(200);
  expect(harness.logged('error')).toEqual([expect.stringContaining('cannot be stored')]);
  expect(await harness.deliver(inbox, hidden)).toBe(503);
  await harness.world.time.advance(400_000);
  await drain(inbox);
  expect(harness.handled.join()).toContain(hidden.data.order.public_id);
});

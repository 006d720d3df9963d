import type { MarketEventType } from 'market-partner-sdk';
import { memoryEngine, type DurableEngine, type EventInbox } from 'market-partner-sdk/durable';
import { expect, it } from 'vitest';
import { useInboxHarness } from './support/inbox-harness.js';

const harness = useInboxHarness();

const hourMs = 3_600_000;

/** A program of the inbox's name with these listeners, and what it handled. */
function program(engine: DurableEngine, ...types: MarketEventType[]) {
  const handled: string[] = [];
  const record = ({ id, type }: { id: string; type: string }) => void handled.push(`${type} ${id}`);
  const on = Object.fromEntries(types.map((type) => [type, record]));
  const inbox = harness.inbox({ engine, on, poll: { overlapEvents: 1, overlapMs: 1 } });
  return { inbox, handled };
}

/** Sells, and makes each sale an event of two types, as far apart as no overlap reaches. */
async function sellAndStart(count: number): Promise<void> {
  for (const { public_id } of await harness.world.sell(count)) {
    harness.world.emulator.admin.startTransfer(public_id);
    await harness.world.time.advance(hourMs);
  }
}

const handle = async (inbox: EventInbox) => {
  await inbox.poll();
  const drained = inbox.drain({ maxMs: 1_000 });
  await harness.world.time.advance(1_000);
  await drained;
};

it('of two programs of one name with other listeners, neither passes the events of the other', async () => {
  const engine = memoryEngine(harness.world.time.options);
  const recorded = program(engine, 'order.recorded');
  const started = program(engine, 'order.transfer_started');
  await recorded.inbox.poll();
  await started.inbox.poll();
  for (let round = 0; round < 3; round += 1) {
    await sellAndStart(2);
    // The first reads on alone for hours: the second is away.
    await recorded.inbox.poll();
    await sellAndStart(2);
    await recorded.inbox.poll();
    await started.inbox.poll();
  }
  for (let round = 0; round < 5; round += 1) {
    await handle(recorded.inbox);
    await handle(started.inbox);
    await harness.world.time.advance(hourMs);
  }
  expect([...recorded.handled, ...started.handled]).toHaveLength(24);
  expect(new Set([...recorded.handled, ...started.handled]).size).toBe(24);
  expect(harness.logged('error')).toEqual([]);
});

it('a program that was restarted goes on where it was, whatever the other one read meanwhile', async () => {
  const engine = memoryEngine(harness.world.time.options);
  await program(engine, 'order.transfer_started').inbox.poll();
  const recorded = program(engine, 'order.recorded');
  for (let round = 0; round < 3; round += 1) {
    await sellAndStart(1);
    await recorded.inbox.poll();
  }
  const restarted = program(engine, 'order.transfer_started');
  expect(await restarted.inbox.poll()).toMatchObject({ added: 3 });
});

it('a release with one listener more takes up what the one before it had not read', async () => {
  const engine = memoryEngine(harness.world.time.options);
  await program(engine, 'order.transfer_started').inbox.poll();
  const recorded = program(engine, 'order.recorded');
  await sellAndStart(2);
  await recorded.inbox.poll();
  const next = program(engine, 'order.transfer_started', 'order.settled');
  expect(await next.inbox.poll()).toMatchObject({ added: 2 });
  // And once that is done it reads nothing again.
  expect(await next.inbox.poll()).toMatchObject({ added: 0, read: 1 });
});

it('a release that drops a listener reads nothing again', async () => {
  const engine = memoryEngine(harness.world.time.options);
  await program(engine, 'order.recorded', 'order.transfer_started').inbox.poll();
  await sellAndStart(3);
  await program(engine, 'order.recorded', 'order.transfer_started').inbox.poll();
  const next = program(engine, 'order.recorded');
  expect(await next.inbox.poll()).toMatchObject({ added: 0, read: 1 });
});

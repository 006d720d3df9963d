import { pollEvents } from 'market-partner-sdk/durable';
import { expect, it } from 'vitest';
import { useInboxHarness } from './support/inbox-harness.js';
import { useOutboxWorld } from './support/outbox-world.js';

const harness = useInboxHarness();
const outboxes = useOutboxWorld();

/** A history whose every page takes so long, unless its signal fires. */
function slowHistory(pageMs: number) {
  const { environment, events } = harness.world.market;
  const list = async (...args: Parameters<typeof events.list>) => {
    const signal = args[1]?.signal ?? new AbortController().signal;
    await harness.world.time.options.sleep(pageMs, signal);
    return events.list(...args);
  };
  return { environment, events: { list } } as never;
}

const inboxWith = (pageMs: number) => harness.inbox({ market: slowHistory(pageMs) });

it('drain() ends in its time, also where the history does not answer', async () => {
  const inbox = inboxWith(60_000);
  await harness.world.sell(1);
  const begun = harness.world.time.nowMs;
  let took = Infinity;
  const drained = inbox
    .drain({ maxMs: 5_000 })
    .finally(() => (took = harness.world.time.nowMs - begun));
  await harness.world.time.advance(5_000);
  expect(took).toBeLessThanOrEqual(5_000);
  expect(await drained).toEqual({ handled: 0, failed: 0, dead: 0, left: 0 });
  await inbox.stop();
});

it('stop() ends a periodic poll at once', async () => {
  const inbox = inboxWith(30_000);
  const started = inbox.start();
  await harness.world.time.advance(30_000);
  await started;
  await harness.world.time.advance(61_000);
  let isStopped = false;
  const stopped = inbox.stop({ graceMs: 0 }).then(() => (isStopped = true));
  await harness.world.time.advance(0);
  expect(isStopped).toBe(true);
  await stopped;
});

it('stop() does not wait for a "recover" that never ends', async () => {
  let calls = 0;
  const outbox = outboxes.outboxWith({
    recover: async function* () {
      if ((calls += 1) > 1) await new Promise(() => undefined);
      yield* [];
    },
  });
  await outbox.start();
  await outboxes.time.advance(61_000);
  expect(calls).toBe(2);
  let isStopped = false;
  const stopped = outbox.stop({ graceMs: 1_000 }).then(() => (isStopped = true));
  await outboxes.time.advance(1_000);
  expect(isStopped).toBe(true);
  await stopped;
});

it('the signal of pollEvents ends a poll that is under way, and "run" resolves', async () => {
  const over = new AbortController();
  const relay = pollEvents({
    logger: false,
    market: slowHistory(60_000),
    startFrom: 'beginning',
    signal: over.signal,
    ...harness.world.time.options,
    enqueue: () => undefined,
    checkpoint: { read: () => undefined, write: () => undefined },
  });
  let hasEnded = false;
  const run = relay.run().then(() => (hasEnded = true));
  await harness.world.time.advance(1_000);
  over.abort();
  await harness.world.time.advance(0);
  expect(hasEnded).toBe(true);
  await run;
});

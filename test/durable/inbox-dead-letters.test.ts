import { expect, it } from 'vitest';
import { drain, useInboxHarness } from './support/inbox-harness.js';
import { withQueues } from './support/open-engines.js';

const harness = useInboxHarness();

it('an event that fails for good is a dead letter, and retry and discard free its sale', async () => {
  const [order] = await harness.world.sell(1);
  harness.world.emulator.admin.startTransfer(order!.public_id);
  harness.world.emulator.admin.completeTransfer(order!.public_id);
  let broken = true;
  const dead: string[] = [];
  const inbox = harness.inbox({
    retry: { maxAttempts: 2, baseMs: 10 },
    onDeadLetter: ({ id, error }) => dead.push(`${id} ${error.split('\n')[0]}`),
    on: {
      'order.recorded': (event) => {
        if (broken) throw new Error('no such column');
        harness.record(event);
      },
      'order.transfer_started': () => Promise.reject(new Error('never')),
      'order.transfer_completed': harness.record,
    },
  });
  const drainAll = async () => {
    for (let round = 0; round < 3; round += 1) {
      await harness.handleOther(inbox);
      await drain(inbox);
      await harness.world.time.advance(60_000);
    }
  };
  await drainAll();
  const [letter] = await inbox.deadLetters();
  expect(letter).toMatchObject({ orderingKey: order!.public_id, attempts: 2 });
  expect(dead).toEqual([`${letter!.id} Error: no such column`]);
  expect(await inbox.status()).toMatchObject({ dead: 1, waiting: 2 });

  broken = false;
  expect(await inbox.retry(letter!.id)).toBe(true);
  expect(await inbox.retry(letter!.id)).toBe(false);
  await drainAll();
  const [next] = await inbox.deadLetters();
  expect(next?.event.type).toBe('order.transfer_started');
  expect(await inbox.discard(next!.id, 'done by hand')).toBe(true);
  await drainAll();
  expect(harness.handled.map((line) => line.split(' ')[0])).toEqual([
    'order.recorded',
    'order.transfer_completed',
  ]);
});

it('an event whose listener ends the process each time becomes a dead letter', async () => {
  // The job was claimed twelve times before, and nobody lived to say what came of it.
  const engine = withQueues(harness.engine, (queue) => ({
    work: (run, options) => queue.work((job) => run({ ...job, attempt: 13 }), options),
  }));
  const inbox = harness.inbox({ engine });
  await harness.world.sell(1);
  expect(await drain(inbox)).toMatchObject({ handled: 0, dead: 1 });
  expect(harness.handled).toEqual([]);
});

it('an event whose listener was removed becomes a dead letter that says so', async () => {
  const engine = harness.engine;
  await harness.inbox({ engine }).poll();
  await harness.world.sell(1);
  await harness.inbox({ engine }).poll();
  const on = { 'order.settled': harness.record };
  const without = harness.inbox({ engine, on, retry: { maxAttempts: 2 } });
  await drain(without);
  await harness.world.time.advance(60_000);
  await drain(without);
  const [letter] = await without.deadLetters();
  expect(letter!.error).toContain('No listener for order.recorded in this process');
  expect(await without.discard(letter!.id, 'no longer needed')).toBe(true);
});

it('a callback that fails, and a thrown value that is not an Error, change nothing that is stored', async () => {
  const inbox = harness.inbox({
    retry: { maxAttempts: 1 },

    onDeadLetter: () => Promise.reject(new Error('mail server down')),
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a listener may
    on: { 'order.recorded': () => Promise.reject('') },
  });
  await harness.handleOther(inbox);
  await harness.world.sell(1);
  expect(await drain(inbox)).toMatchObject({ dead: 1 });
  expect(await inbox.deadLetters()).toMatchObject([{ error: 'unknown' }]);
  expect(harness.logged('error')).toContain('A callback of the inbox or outbox failed.');
});

it('dead letters are listed page by page, each once', async () => {
  const inbox = harness.inbox({
    retry: { maxAttempts: 1 },
    on: { 'order.recorded': () => Promise.reject(new Error('never')) },
  });
  await harness.handleOther(inbox);
  await harness.world.sell(7);
  await drain(inbox);
  const all = await inbox.deadLetters();
  expect([all.length, all.nextCursor]).toEqual([7, null]);
  const pages: string[][] = [];
  for (let cursor: string | undefined; ;) {
    const page = await inbox.deadLetters({ limit: 3, cursor });
    pages.push(page.map(({ id }) => id));
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
  expect(pages.flat()).toEqual(all.map(({ id }) => id));
  await expect(inbox.deadLetters({ cursor: '' })).rejects.toThrow('"cursor" must be a non-empty');
});

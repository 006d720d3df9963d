import { AuthenticationError } from 'market-partner-sdk';
import type { EventInbox, EventInboxOptions } from 'market-partner-sdk/durable';
import { beforeEach, expect, it } from 'vitest';
import { useInboxHarness } from './support/inbox-harness.js';
import { sellOther } from './support/other-events.js';
import type { QueueEngine } from '../../src/durable/queue/engine.js';
import { withQueues } from './support/open-engines.js';

const harness = useInboxHarness();
let engine: QueueEngine;
let isRevoked: boolean;
let ran: number;

beforeEach(() => {
  engine = harness.engine;
  isRevoked = true;
  ran = 0;
});

const retry = { maxAttempts: 2, baseMs: 1_000, maxMs: 1_000 };
const refused = () =>
  new AuthenticationError('wrong secret', { response: { status: 401, headers: {} } });

/** A process: each one has its own inbox on the same engine. */
const processWith = (options: Partial<EventInboxOptions> = {}): EventInbox =>
  harness.inbox({ engine, retry, on: { 'order.recorded': listener }, ...options });

function listener() {
  ran += 1;
  if (isRevoked) throw refused();
}

async function drainOnce(inbox: EventInbox) {
  await harness.world.time.advance(1_000);
  return inbox.drain({ maxMs: 10_000 });
}

it('a restart with a new credential runs an event whose attempts all met the revoked one', async () => {
  await harness.world.sell(1);
  const before = processWith();
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    expect(await drainOnce(before)).toMatchObject({ failed: 1, dead: 0 });
  }
  isRevoked = false;
  expect(await drainOnce(processWith())).toMatchObject({ handled: 1, dead: 0 });
});

it('each attempt may run in another process, and after an hour attempts count', async () => {
  await harness.world.sell(1);
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    expect(await drainOnce(processWith())).toMatchObject({ failed: 1, dead: 0 });
  }
  await harness.world.time.advance(3_600_000);
  const last = processWith();
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    await sellOther(harness.world);
    expect(await drainOnce(last)).toMatchObject({ failed: 1, dead: 0 });
  }
  expect(await drainOnce(last)).toMatchObject({ dead: 1 });
});

it('processes that end during the attempts after it make a dead letter of the event', async () => {
  await harness.world.sell(1);
  const before = processWith();
  for (let attempt = 1; attempt <= 3; attempt += 1) await drainOnce(before);
  // Two more were claimed, and no process lived to report them.
  const claimed = withQueues(engine, (queue) => ({
    work: (run, options) => queue.work((job) => run({ ...job, attempt: job.attempt + 2 }), options),
  }));
  const after = processWith({ engine: claimed });
  expect(await drainOnce(after)).toMatchObject({ handled: 0, dead: 1 });
  expect(ran).toBe(3);
  const [letter] = await after.deadLetters();
  expect(letter?.error).toContain('The process ended during the last attempt');
});

it('an ordinary failure after refused credentials is the first attempt that counts', async () => {
  let runs = 0;
  const inbox = processWith({
    retry: { ...retry, maxAttempts: 3 },
    on: {
      'order.recorded': () => {
        if ((runs += 1) <= 4) throw refused();
        throw new Error('database busy');
      },
    },
  });
  await harness.world.sell(1);
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    await sellOther(harness.world);
    expect(await drainOnce(inbox)).toMatchObject({ failed: 1, dead: 0 });
  }
  expect(await drainOnce(inbox)).toMatchObject({ dead: 1 });
  expect(await inbox.deadLetters()).toMatchObject([{ attempts: 3 }]);
});

it('the hour counts from the first failure, so a backlog that is older has it, too', async () => {
  await harness.world.sell(1);
  await processWith().poll();
  await harness.world.time.advance(2 * 3_600_000);
  const inbox = processWith({ retry: { ...retry, maxAttempts: 1 } });
  expect(await drainOnce(inbox)).toMatchObject({ failed: 1, dead: 0 });
  isRevoked = false;
  expect(await drainOnce(inbox)).toMatchObject({ handled: 1, dead: 0 });
});

import { createEventInbox, type EventInbox } from 'market-partner-sdk/durable';
import { fault } from 'market-partner-sdk/testing';
import { expect, it, vi } from 'vitest';
import { drain, useInboxHarness } from './support/inbox-harness.js';
import type { QueueEngine } from '../../src/durable/queue/engine.js';

const harness = useInboxHarness();

it('start() resolves while the history is down, and the first poll is repeated soon', async () => {
  const inbox = harness.inbox();
  harness.world.emulator.faults.on('GET /events', fault.internalError());
  await inbox.start();
  await harness.world.time.advance(100);
  const { lastPollAt, lastPollError } = await inbox.status();
  expect([lastPollAt, lastPollError]).toEqual([null, expect.stringContaining('500')]);
  expect(harness.logged('warn').join()).toContain('The first poll of the history failed');
  harness.world.emulator.faults.clear();
  await harness.world.sell(1);
  await harness.world.time.advance(5_000);
  expect(harness.handled).toHaveLength(1);
  expect(await inbox.status()).toMatchObject({ lastPollError: null });
});

it('works through a proxy around it', async () => {
  const inbox = new Proxy(harness.inbox(), {});
  await harness.world.sell(1);
  await inbox.drain({ maxMs: 10_000 });
  expect(await inbox.status()).toMatchObject({ waiting: 0 });
  expect(harness.handled).toHaveLength(1);
});

it('start() resolves within 5 s while the history does not respond', async () => {
  const never = { list: () => new Promise(() => undefined) };
  const inbox = harness.inbox({ market: { events: never } as never });
  let isStarted = false;
  void inbox.start().then(() => (isStarted = true));
  await harness.world.time.advance(5_000);
  expect(isStarted).toBe(true);
});

it('start() and drain() handle what is stored while the history is down', async () => {
  const engine = harness.engine;
  await harness.world.sell(2);
  await harness.inbox({ engine, concurrency: 1 }).poll();
  harness.world.emulator.faults.on('GET /events', fault.internalError());
  const drained = await harness.inbox({ engine }).drain({ maxMs: 10_000 });
  expect(drained).toMatchObject({ handled: 2, left: 0 });

  harness.world.emulator.faults.clear();
  await harness.world.sell(1);
  await harness.inbox({ engine }).poll();
  harness.world.emulator.faults.on('GET /events', fault.internalError());
  await harness.inbox({ engine }).start();
  await harness.world.time.advance(100);
  expect(harness.handled).toHaveLength(3);
});

it.each([
  ['ahead', 86_400_000],
  ['back', -86_400_000],
])(
  'drain() handles what its poll found, although the clock is set %s meanwhile',
  async (_where, byMs) => {
    let offMs = 0;
    const inbox = harness.inbox({
      clock: () => harness.world.time.nowMs + offMs,
      onProgress: () => (offMs = byMs),
    });
    await harness.world.sell(2);
    expect(await drain(inbox)).toMatchObject({ handled: 2, left: 0 });
  },
);

it('start() and drain() reject when the credential is refused, and nothing runs after start()', async () => {
  const { keyId, secret } = harness.world.emulator.createCredential({ scopes: ['search'] });
  const market = harness.world.client({ keyId, secret });
  const inbox = harness.inbox({ market });
  await expect(inbox.start()).rejects.toMatchObject({ name: 'ForbiddenError' });
  const before = harness.reads;
  await harness.world.time.advance(300_000);
  expect(harness.reads).toBe(before);
  await expect(inbox.drain({ maxMs: 1_000 })).rejects.toMatchObject({ name: 'ForbiddenError' });
  const wrong = harness.world.client({ keyId, secret: 'wrong' });
  const refused = harness.inbox({ market: wrong });
  await expect(refused.start()).rejects.toMatchObject({ name: 'AuthenticationError' });
});

it('a delivery without a secret gets 500 and one error line that names the option', async () => {
  const inbox = harness.inbox({ secret: undefined });
  const [event] = await harness.sold(1);
  expect(await harness.deliver(inbox, event!)).toBe(500);
  expect(await harness.deliver(inbox, event!)).toBe(500);
  expect(harness.log.lines.filter(({ level }) => level === 'error')).toMatchObject([
    { fields: { error: expect.stringContaining('"secret" is not set') } },
  ]);
  await inbox.drain({ maxMs: 10_000 });
  await harness.world.time.advance(120_000);
  expect(await inbox.status()).toMatchObject({ missedWebhooks: 0 });
});

it('a started inbox polls and handles events from time to time', async () => {
  const inbox = harness.inbox();
  await inbox.start();
  await harness.world.sell(2);
  await harness.world.time.advance(80_000);
  expect(harness.handled).toHaveLength(2);
  harness.world.emulator.faults.on('GET /events', fault.internalError());
  await harness.world.time.advance(200_000);
  harness.world.emulator.faults.clear();
  await harness.world.sell(1);
  await harness.world.time.advance(80_000);
  expect(harness.handled).toHaveLength(3);
});

it.each<[string, Record<string, unknown>]>([
  ['"retires" is not an option', { retires: 3 }],
  ['"clock" must be a function', { clock: 5 }],
  ['"random" must be a function', { random: 5 }],
  ['"logger" must be an object', { logger: 'x' }],
  ['"retry" must be an object', { retry: null }],
  ['"secret" must be a non-empty string', { secret: '' }],
  ['"on" must have a listener', { on: {} }],
  ['"on.order.setled" is not an option', { on: { 'order.setled': harness.record } }],
  ['"on.order.settled" must be a function', { on: { 'order.settled': 'x' } }],
  ['"startFrom" must be', { startFrom: 'start' }],
  ['"market" must have a method "events.list"', { market: {} }],
  ['"engine" must have a method "open"', { engine: 'market.db' }],
  ['"concurrency" must be a whole number', { concurrency: 0 }],
  ['"keepDoneMs" must be a whole number', { keepDoneMs: 1_000 }],
  ['"poll.everyMs" must be a whole number', { poll: { everyMs: 0.5 } }],
  ['"poll.every" is not an option', { poll: { every: 1 } }],
  ['"retry.maxMs" must not be below', { retry: { baseMs: 10, maxMs: 1 } }],
  ['"name" must be', { name: 'a:b' }],
])('refuses a wrong option: %s', (message, options) => {
  expect(() => harness.inbox(options)).toThrow(message);
});

it('refuses a grace period that is no number of milliseconds', async () => {
  const inbox = harness.inbox();
  await inbox.start();
  await expect(inbox.stop({ graceMs: '5 s' as never })).rejects.toMatchObject({
    name: 'DurableConfigurationError',
    message: expect.stringContaining('"graceMs" must be a whole number') as string,
  });
});

it('an engine that cannot be opened is tried again by the next call', async () => {
  const engine = harness.engine;
  let isDown = true;
  const open: typeof engine.open = (spec) =>
    isDown ? Promise.reject(new Error('no database')) : engine.open(spec);
  const inbox = harness.inbox({ engine: { ...engine, open } as QueueEngine });
  await expect(inbox.start()).rejects.toThrow('no database');
  isDown = false;
  await inbox.start();
  await inbox.start();
  expect(await inbox.status()).toMatchObject({ waiting: 0 });
});

it('an inbox in "await using" stops at the end of its block', async () => {
  const inbox = harness.inbox();
  await inbox.start();
  await inbox[Symbol.asyncDispose]();
  await harness.world.sell(1);
  await harness.world.time.advance(120_000);
  expect(harness.handled).toEqual([]);
});

it('options that are not objects are refused', () => {
  expect(() => createEventInbox(null as never)).toThrow('"options" must be an object');
  expect(() => harness.inbox({ on: null as never })).toThrow('"on" must be an object');
});

it('an inbox writes warnings and errors to the console unless it has a logger or "logger: false"', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const on = { 'order.recorded': () => Promise.reject(new Error('no such column')) };
  const retry = { maxAttempts: 2, baseMs: 1 };
  const runOut = async (inbox: EventInbox) => {
    await harness.handleOther(inbox);
    await harness.world.sell(1);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await harness.handleOther(inbox);
      await harness.world.time.advance(1_000);
    }
    expect(await inbox.status()).toMatchObject({ dead: 1 });
  };
  await runOut(harness.inbox({ on, retry, logger: false }));
  expect([warn.mock.calls, error.mock.calls]).toEqual([[], []]);
  await runOut(harness.inbox({ on, retry, startFrom: 'now', logger: undefined }));
  const messages = [warn, error].map(({ mock }) =>
    mock.calls.map(([message]: unknown[]) => String(message)),
  );
  expect(messages).toEqual([
    messages[0]!.map(() => expect.stringContaining('will be retried') as string),
    [expect.stringContaining('is a dead letter') as string],
  ]);
  vi.restoreAllMocks();
});

it('wrong options of drain() and deadLetters() are refused by name', async () => {
  const inbox = harness.inbox();
  await expect(inbox.drain(undefined as never)).rejects.toThrow('"options" must be an object');
  await expect(inbox.drain({} as never)).rejects.toThrow('"maxMs" is required');
  await expect(inbox.drain({ maxMs: 'x' } as never)).rejects.toThrow('"maxMs" must be a whole');
  await expect(inbox.deadLetters({ limit: 0 })).rejects.toThrow('"limit" must be a whole number');
  await expect(inbox.deadLetters({ limt: 5 } as never)).rejects.toThrow('"limt" is not an option');
});

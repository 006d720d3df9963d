import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { createEventInbox, createOrderOutbox, memoryEngine } from 'market-partner-sdk/durable';
import { fault, type EmulatorOptions } from 'market-partner-sdk/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { noCallbacks } from './support/no-callbacks.js';
import { MarketWorld, secret } from './support/market-world.js';

const names = [
  ...['start', 'end', 'asyncStart', 'asyncEnd', 'error'].flatMap((moment) => [
    `tracing:market-partner-sdk:event:${moment}`,
    `tracing:market-partner-sdk:order:${moment}`,
  ]),
  ...['poll', 'dead-letter', 'gap'].map((name) => `market-partner-sdk:${name}`),
];

let world: MarketWorld;
/** What each channel published, as it was in that moment. */
let published: { name: string; message: object }[];

const note = (message: unknown, name: string | symbol) =>
  published.push({ name: String(name), message: { ...(message as object) } });
const on = (name: string) =>
  published.filter((each) => each.name.endsWith(name)).map(({ message }) => message);

beforeEach(async () => {
  published = [];
  await restart();
  for (const name of names) subscribe(name, note);
});
afterEach(async () => {
  for (const name of names) unsubscribe(name, note);
  await world.stop();
});

async function restart(options: EmulatorOptions = {}): Promise<void> {
  world = await MarketWorld.start(options);
  world.emulator.admin.list({ domain: 'brew.example', price_cents: 250_000 });
}

/** The bodies of events and orders, and what signs and verifies. */
function expectNothingConfidential(): void {
  const text = inspect(published, { depth: Infinity, maxArrayLength: Infinity });
  const header = world.emulator.requests.at(-1)!.headers;
  const key = Object.values(header).find((value) => value.startsWith('mk_')) ?? 'mk_';
  for (const part of ['brew.example', 'ada@', 'Lovelace', 'payload', 'data:', secret, 'msk_', key])
    expect(text).not.toContain(part);
}

const sell = () =>
  world.market.orders.create({
    domain: 'brew.example',
    expected_price: 250_000,
    currency: 'USD',
    buyer: { name: 'Ada Lovelace', email: 'ada@example.com', country: 'GB' },
  });

function inboxWith(listener: (event: unknown, context: { readonly id: string }) => unknown) {
  return createEventInbox({
    market: world.market,
    secret,
    startFrom: 'beginning',
    name: 'shop',
    random: () => 0.5,
    engine: memoryEngine(world.time.options),
    ...world.time.options,
    retry: { maxAttempts: 2, baseMs: 1_000 },
    on: { 'order.recorded': listener },
  });
}

it('a poll tells what it read, and a handler which event it runs', async () => {
  const inbox = inboxWith(() => ({ payload: 'of the listener' }));
  await sell();
  const [event] = await world.events();
  await world.time.advance(4_000);
  expect((await inbox.handle(await world.delivery(event!))).status).toBe(200);
  await inbox.drain({ maxMs: 10_000 });
  const report = { consumer: 'shop', late: 0, skipped: 0, missedWebhooks: 0 };
  expect(on(':poll')).toEqual([
    { ...report, read: 1, added: 1 },
    { ...report, read: 1, added: 0 },
  ]);
  const span = {
    consumer: 'shop',
    id: event!.id,
    type: 'order.recorded',
    attempt: 1,
    viaWebhook: true,
    lagMs: 4_000,
  };
  expect(on('event:start')).toEqual([span]);
  expect(on('event:asyncEnd')).toEqual([{ ...span, result: undefined }]);
  expect(on('event:error')).toEqual([]);
  expectNothingConfidential();
});

it('a failed attempt tells its error, and the last one a dead letter', async () => {
  const failure = new Error('no such column');
  // Other events succeed: what fails has a cause of its own, and is counted.
  const inbox = inboxWith((_event, { id }) => {
    if (id === event!.id) throw failure;
  });
  await sell();
  await world.sell(1);
  const [, event] = await world.events();
  await inbox.drain({ maxMs: 10_000 });
  expect(on(':dead-letter')).toEqual([]);
  await world.sell(1);
  await inbox.drain({ maxMs: 10_000 });
  await world.time.advance(60_000);
  await inbox.drain({ maxMs: 10_000 });
  const facts = { consumer: 'shop', id: event!.id, type: 'order.recorded' };
  expect(on('event:error')).toMatchObject([
    { ...facts, attempt: 1, viaWebhook: false, error: failure },
    { ...facts, attempt: 2, error: failure },
  ]);
  expect(on(':dead-letter')).toEqual([{ ...facts, attempt: 2 }]);
  expectNothingConfidential();
});

it('a gap tells where the history was left and where it begins', async () => {
  await world.stop();
  await restart({ historyRetention: '7 days' });
  const inbox = inboxWith(() => undefined);
  await sell();
  const [left] = await world.events();
  await inbox.drain({ maxMs: 10_000 });
  await world.time.advance(8 * 86_400_000);
  await world.sell(1);
  const [oldest] = await world.events();
  expect(await inbox.poll()).toMatchObject({ added: 1 });
  const { id, created_at } = oldest!;
  expect(on(':gap')).toEqual([{ consumer: 'shop', cursor: left!.id, oldest: { id, created_at } }]);
  expectNothingConfidential();
});

it('an attempt to place an order tells its key, and the verdict when it ends', async () => {
  const outbox = createOrderOutbox({
    market: world.client({ maxRetries: 0 }),
    name: 'shop',
    random: () => 0.5,
    engine: memoryEngine(world.time.options),
    ...world.time.options,
    ...noCallbacks,
  });
  await outbox.add({
    key: 'pay-1',
    order: {
      domain: 'brew.example',
      expected_price: 250_000,
      currency: 'USD',
      buyer: { name: 'Ada Lovelace', email: 'ada@example.com', country: 'GB' },
    },
  });
  world.emulator.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });
  await outbox.drain({ maxMs: 10_000 });
  await world.time.advance(60_000);
  await outbox.drain({ maxMs: 10_000 });
  const span = { consumer: 'shop', key: 'pay-1' };
  expect(on('order:start')).toEqual([
    { ...span, attempt: 1 },
    { ...span, attempt: 2 },
  ]);
  expect(on('order:asyncEnd')).toEqual([
    { ...span, attempt: 1, verdict: 'open', result: undefined },
    { ...span, attempt: 2, verdict: 'placed', result: undefined },
  ]);
  expectNothingConfidential();
});

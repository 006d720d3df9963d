import {
  createEventInbox,
  memoryEngine,
  type EventInboxOptions,
  type OrderOutboxOptions,
} from 'market-partner-sdk/durable';
import { fault } from 'market-partner-sdk/testing';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { recordingLogger } from '../support/recording-logger.js';
import { intent, OutboxWorld } from './support/outbox-world.js';

let world: OutboxWorld;
beforeEach(async () => {
  world = await OutboxWorld.start();
});
afterEach(() => world.stop());

/** A client whose credential comes from a function, and how often that was called. */
function vault(keyId?: string) {
  const credential = { ...world.emulator.createCredential(), ...(keyId && { keyId }) };
  const calls = { count: 0, failure: undefined as Error | undefined };
  const credentials = () => {
    calls.count += 1;
    if (calls.failure !== undefined) throw calls.failure;
    return { keyId: credential.keyId, secret: credential.secret };
  };
  const market = world.client({ keyId: undefined, secret: undefined, credentials });
  return { market, calls };
}

/** A market whose credential has no environment that is known: as any was with `credentials`. */
function unmarked(): OrderOutboxOptions['market'] {
  const { orders } = world.client();
  return { orders, environment: undefined };
}

const names = async (engine: ReturnType<typeof memoryEngine>) =>
  [...(await engine.listQueues())].sort();

it('a shop that turns keyId and secret into credentials keeps its queues and the sales in them', async () => {
  const engine = memoryEngine(world.time.options);
  await world.outboxWith({ engine }).add(intent('payment-1'));
  const { market } = vault();
  const next = world.outboxWith({ engine, market });
  expect(await next.get('payment-1')).toMatchObject({ state: 'waiting' });
  await next.drain({ maxMs: 10_000 });
  expect(await next.get('payment-1')).toMatchObject({ state: 'placed' });
  expect(await names(engine)).toEqual([
    'market-default-sandbox-orders',
    'market-default-sandbox-verdicts',
  ]);
});

it('the environment is learned once, from the first credential', async () => {
  const { market, calls } = vault();
  const outbox = world.outboxWith({ market });
  expect(calls.count).toBe(0);
  await outbox.add(intent('payment-1'));
  await outbox.add(intent('payment-2', { domain: 'tea.example' }));
  expect(calls.count).toBe(1);
});

it('a vault that is away fails the add, unless the environment is an option', async () => {
  const engine = memoryEngine(world.time.options);
  const { market, calls } = vault();
  calls.failure = new Error('the vault is sealed');
  const outbox = world.outboxWith({ engine, market });
  await expect(outbox.add(intent('payment-1'))).rejects.toThrow('the vault is sealed');
  await expect(outbox.start()).rejects.toThrow('the vault is sealed');
  expect(await names(engine)).toEqual([]);

  const told = world.outboxWith({ engine, market, environment: 'sandbox' });
  await told.start();
  await told.add(intent('payment-1'));
  calls.failure = undefined;
  await world.time.advance(60_000);
  expect(await told.get('payment-1')).toMatchObject({ state: 'placed' });
  // The other one works as well, now that there is a credential.
  expect(await outbox.get('payment-1')).toMatchObject({ state: 'placed' });
});

it.each<[string, Partial<OrderOutboxOptions>]>([
  ['"environment" must be "sandbox", "live", "test" or "any"', { environment: 'prod' as never }],
  [
    '"environment" is "live", and the credential of "market" is of sandbox',
    { environment: 'live' },
  ],
])('a wrong environment throws by its name: %s', (message, options) => {
  expect(() => world.outboxWith(options)).toThrow(message);
});

it('an environment that is not that of the credentials places nothing, and is told', async () => {
  const engine = memoryEngine(world.time.options);
  const { market, calls } = vault();
  await expect(world.outboxWith({ engine, market, environment: 'live' }).start()).rejects.toThrow(
    '"environment" is "live", and the credential of "market" is of sandbox',
  );
  // Told at the start where the vault answers; else before the first order.
  const log = recordingLogger();
  calls.failure = new Error('the vault is sealed');
  const { market: later, calls: laterCalls } = vault();
  laterCalls.failure = calls.failure;
  const outbox = world.outboxWith({
    engine,
    market: later,
    environment: 'live',
    logger: log.logger,
  });
  await outbox.start();
  await outbox.add(intent('payment-1'));
  laterCalls.failure = undefined;
  await world.time.advance(600_000);
  expect(world.requests('POST')).toEqual([]);
  expect(await outbox.status()).toMatchObject({
    waiting: 1,
    paused: '"environment" is "live", and the credential of "market" is of sandbox.',
  });
  expect(log.lines.map(({ message }) => message)).toContain(
    'The credential is refused: no order is sent for a minute.',
  );
});

it('work in the queues of an unknown environment is told at once, and is taken with the option "any"', async () => {
  const engine = memoryEngine(world.time.options);
  await world.outboxWith({ engine, market: unmarked() }).add(intent('payment-1'));
  const log = recordingLogger();
  const outbox = world.outboxWith({ engine, logger: log.logger });
  await outbox.start();
  await world.time.advance(1);
  expect(log.lines).toHaveLength(1);
  expect((await outbox.status()).stranded).toMatchObject([
    { queue: 'market-default-any-orders', waiting: 1, running: 0, dead: 0 },
  ]);
  await world.time.advance(300_000);
  const warnings = log.lines.filter(({ message }) => message.includes('market-default-any-orders'));
  expect(warnings).toMatchObject([
    {
      level: 'warn',
      message: expect.stringContaining('environment: "any"') as string,
      fields: { queue: 'market-default-any-orders', waiting: 1 },
    },
  ]);
  expect(world.reported).toEqual([]);

  await world.drainFor(world.outboxWith({ engine, environment: 'any' }), 1);
  expect(world.reported).toEqual(['payment-1 placed brew.example']);
  expect((await outbox.status()).stranded).toEqual([]);
});

it('of a sale in the queues of both environments, one program alone sends it', async () => {
  const engine = memoryEngine(world.time.options);
  const old = world.outboxWith({ engine, market: unmarked() });
  await old.add(intent('payment-1'));
  const next = world.outboxWith({
    engine,
    recover: () => [intent('payment-1'), intent('payment-2', { domain: 'tea.example' })],
  });
  await world.drainFor(next, 2);
  expect(world.requests('POST').map(({ headers }) => headers['idempotency-key'])).toEqual([
    'payment-2',
  ]);
  expect(await next.get('payment-1')).toMatchObject({
    state: 'waiting',
    lastError: expect.stringContaining('market-default-any-orders') as string,
  });
  expect(await next.cancel('payment-1', 'charged back')).toMatchObject({ cancelled: false });

  await world.drainFor(old, 2);
  await world.drainFor(next, 2);
  expect(world.requests('POST')).toHaveLength(2);
  expect(world.reported).toEqual([
    'payment-2 placed tea.example',
    'payment-1 placed brew.example',
    'payment-1 attention ambiguous 1',
  ]);
});

it('the program of the earlier environment goes on with its sales, whatever the later one was given', async () => {
  const engine = memoryEngine(world.time.options);
  const old = world.outboxWith({ engine, market: unmarked() });
  const next = world.outboxWith({ engine });
  await old.add(intent('payment-1'));
  await next.add(intent('payment-1'));
  await next.add(intent('payment-2', { domain: 'tea.example' }));
  await world.time.advance(1_000);
  await old.add(intent('payment-2', { domain: 'tea.example' }));
  await world.drainFor(old, 1);
  expect(world.reported).toEqual(['payment-1 placed brew.example']);
  expect(await old.get('payment-2')).toMatchObject({ state: 'waiting' });
});

it('a sale that another program has placed is not sent again, although the clock was ahead then', async () => {
  const engine = memoryEngine(world.time.options);
  const old = world.outboxWith({ engine, market: unmarked() });
  await old.add(intent('payment-1'));
  await world.drainFor(old, 1);
  world.time.nowMs -= 7_200_000;
  const next = world.outboxWith({ engine });
  await next.add(intent('payment-1'));
  await world.drainFor(next, 2);
  expect(world.requests('POST')).toHaveLength(1);
  expect(world.reported).toEqual([
    'payment-1 placed brew.example',
    'payment-1 attention ambiguous 1',
  ]);
});

it('a refusal of a sale that another program may have sent is looked up, whichever was stored first', async () => {
  await world.stop();
  world = await OutboxWorld.start({ idempotencyMemory: 1 });
  let aheadMs = 7_200_000;
  const clock = () => world.time.nowMs + aheadMs;
  const engine = memoryEngine({ ...world.time.options, clock });
  const sale = intent('payment-1', { external_payment_ref: 'payment-1' });
  const old = world.outboxWith({ engine, clock, market: unmarked() });
  await old.add(sale);
  world.emulator.faults.on('POST /orders', fault.resetAfterWork());
  await world.drainFor(old, 1);
  world.emulator.faults.clear();
  // The service forgets the key of the sale, and refuses it: its domain is sold.
  const other = intent('other', { domain: 'tea.example' }).order;
  await world.client().orders.create(other, { idempotencyKey: 'other' });
  aheadMs = 0;
  const next = world.outboxWith({ engine, clock });
  await next.add(sale);
  await world.drainFor(next, 2);
  expect(world.reported).toEqual(['payment-1 placed brew.example']);
});

it('work of another name is told once it has been due for a minute and nothing runs', async () => {
  const engine = memoryEngine(world.time.options);
  const other = world.outboxWith({ engine, name: 'other' });
  await other.add(intent('payment-1'));
  const outbox = world.outboxWith({ engine });
  await world.time.advance(59_000);
  expect((await outbox.status()).stranded).toEqual([]);
  await world.time.advance(2_000);
  expect((await outbox.status()).stranded).toEqual([
    ...[{ queue: 'market-other-sandbox-orders', waiting: 1, running: 0, dead: 0 }].map((it) => ({
      ...it,
      overdueMs: 61_000,
    })),
  ]);
  await other.start();
  await world.time.advance(1_000);
  expect((await outbox.status()).stranded).toEqual([]);
});

function inboxOf(
  engine: ReturnType<typeof memoryEngine>,
  handled: string[],
  options: Partial<EventInboxOptions> = {},
) {
  const inbox = createEventInbox({
    market: world.client(),
    engine,
    startFrom: 'beginning',
    logger: false,
    ...world.time.options,
    onEvent: ({ id }) => void handled.push(id),
    on: {},
    ...options,
  });
  onTestFinished(() => inbox.stop({ graceMs: 0 }));
  return inbox;
}

/** As an inbox was whose client had `credentials`. */
const unmarkedEvents = () => ({ events: world.client().events, environment: undefined });

it('an inbox whose environment became known goes on where the one before it was, and handles nothing again', async () => {
  const engine = memoryEngine(world.time.options);
  const [before, after]: [string[], string[]] = [[], []];
  await world.market.sell(2);
  const old = inboxOf(engine, before, { market: unmarkedEvents() });
  await old.drain({ maxMs: 1_000 });
  // Stored and not handled: the queue of the old name holds it.
  await world.market.sell(1);
  await old.poll();
  await world.market.sell(2);
  const log = recordingLogger();
  const next = inboxOf(engine, after, { startFrom: 'now', logger: log.logger });
  await next.drain({ maxMs: 1_000 });
  await world.time.advance(600_000);
  await next.drain({ maxMs: 1_000 });
  expect([before.length, after.length]).toEqual([2, 2]);
  expect((await next.status()).stranded).toMatchObject([
    { queue: 'market-default-any-events', waiting: 1 },
  ]);
  expect(log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
    { fields: { queue: 'market-default-any-events' } },
  ]);
  await inboxOf(engine, before, { environment: 'any' }).drain({ maxMs: 1_000 });
  expect(new Set([...before, ...after]).size).toBe(5);
  expect((await next.status()).stranded).toEqual([]);
});

it('an inbox of another history begins as it is told, although a queue of its name has a checkpoint', async () => {
  const engine = memoryEngine(world.time.options);
  const foreign = await OutboxWorld.start();
  onTestFinished(() => foreign.stop());
  await foreign.market.sell(2);
  const events = foreign.client().events;
  await inboxOf(engine, [], { market: { events, environment: undefined } }).poll();
  await world.market.sell(2);
  const handled: string[] = [];
  await inboxOf(engine, handled).drain({ maxMs: 1_000 });
  expect(handled).toHaveLength(2);
});

it('an inbox with the environment of another credential reads nothing', async () => {
  const engine = memoryEngine(world.time.options);
  const { market, calls } = vault();
  calls.failure = new Error('the vault is sealed');
  const inbox = inboxOf(engine, [], { market, environment: 'live' });
  await inbox.start();
  calls.failure = undefined;
  await expect(inbox.poll()).rejects.toThrow('"environment" is "live"');
  expect(world.emulator.requests).toEqual([]);
  await expect(inboxOf(engine, [], { market, environment: 'test' }).start()).rejects.toThrow(
    '"environment" is "test", and the credential of "market" is of sandbox',
  );
});

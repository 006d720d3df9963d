import {
  createEventInbox,
  type EventInboxOptions,
  type OrderOutboxOptions,
} from 'market-partner-sdk/durable';
import { expect, it, onTestFinished } from 'vitest';
import { recordingLogger } from '../support/recording-logger.js';
import { intent, useOutboxWorld } from './support/outbox-world.js';
import { memoryEngine } from './support/open-engines.js';

const world = useOutboxWorld();

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

/** A market of which nobody can tell the environment. */
function unmarked(): OrderOutboxOptions['market'] {
  const { orders } = world.client();
  return { orders, environment: undefined };
}

const names = async (engine: ReturnType<typeof memoryEngine>) =>
  [...(await engine.listQueues())].sort();

const required =
  '"environment" is required, as the credential of "market" does not name it: "live", "sandbox", or "any" for one queue of both.';

it('without an environment neither an outbox nor an inbox is created', () => {
  const { market, calls } = vault();
  expect(() => world.outboxWith({ market })).toThrow(required);
  expect(() => world.outboxWith({ market: unmarked() })).toThrow(required);
  expect(() => inboxOf(memoryEngine(), [], { market })).toThrow(required);
  expect(calls.count).toBe(0);
});

it('a shop that turns keyId and secret into credentials keeps its queues by naming the environment', async () => {
  const engine = memoryEngine(world.time.options);
  await world.outboxWith({ engine }).add(intent('payment-1'));
  const { market, calls } = vault();
  const next = world.outboxWith({ engine, market, environment: 'sandbox' });
  expect(await next.get('payment-1')).toMatchObject({ state: 'waiting' });
  expect(calls.count).toBe(0);
  await next.drain({ maxMs: 10_000 });
  expect(await next.get('payment-1')).toMatchObject({ state: 'placed' });
  expect(await names(engine)).toEqual([
    'market-default-sandbox-orders',
    'market-default-sandbox-verdicts',
  ]);
});

it('a vault that is away keeps no sale from being stored', async () => {
  const engine = memoryEngine(world.time.options);
  const { market, calls } = vault();
  calls.failure = new Error('the vault is sealed');
  const outbox = world.outboxWith({ engine, market, environment: 'sandbox' });
  await outbox.start();
  await outbox.add(intent('payment-1'));
  calls.failure = undefined;
  await world.time.advance(60_000);
  expect(await outbox.get('payment-1')).toMatchObject({ state: 'placed' });
});

it('"any" is one queue of every environment', async () => {
  const engine = memoryEngine(world.time.options);
  await world
    .outboxWith({ engine, market: unmarked(), environment: 'any' })
    .add(intent('payment-1'));
  await world.drainFor(world.outboxWith({ engine, environment: 'any' }), 1);
  expect(world.reported).toEqual(['payment-1 placed brew.example']);
  expect(await names(engine)).toEqual(['market-default-any-orders', 'market-default-any-verdicts']);
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
    'The service rejected the credential. Orders are paused for one minute.',
  );
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

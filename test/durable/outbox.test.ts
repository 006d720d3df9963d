import { createHash } from 'node:crypto';
import type { MarketClient } from 'market-partner-sdk';
import { fault, type EmulatorOptions } from 'market-partner-sdk/testing';
import {
  memoryEngine,
  type OrderIntent,
  type OrderOutbox,
  type OrderOutboxOptions,
} from 'market-partner-sdk/durable';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordingLogger } from '../support/recording-logger.js';
import type { MarketWorld } from './support/market-world.js';
import { intent, ordersQueue, OutboxWorld } from './support/outbox-world.js';

let shop: OutboxWorld;
let world: MarketWorld;
let told: string[];

beforeEach(() => restart());
afterEach(() => shop.stop());

async function restart(options: EmulatorOptions = {}): Promise<void> {
  shop = await OutboxWorld.start(options);
  world = shop.market;
  told = shop.told;
}

/** Nothing is repeated inside the client: each claim is one request. */
const market = (): MarketClient => world.client({ maxRetries: 0 });
const outboxWith = (options?: Partial<OrderOutboxOptions>) => shop.outboxWith(options);
const drainFor = (outbox: OrderOutbox, minutes?: number) => shop.drainFor(outbox, minutes);
const orders = () => world.market.orders.list().toArray();
const sent = () => shop.requests('POST');

describe('intents', () => {
  it('are stored in their final form, under a reference of their own', async () => {
    const outbox = outboxWith();
    expect(await outbox.add(intent('pay-1', { domain: 'BREW.example', currency: 'usd' }))).toEqual({
      added: true,
    });
    expect(sent()).toHaveLength(0);
    expect(await outbox.get('pay-1')).toMatchObject({ state: 'waiting', attempts: 0 });
    await drainFor(outbox, 1);
    expect(await outbox.get('pay-1')).toMatchObject({
      state: 'placed',
      order: { domain: 'brew.example', external_payment_ref: 'pay-1' },
    });
    expect(told).toEqual(['pay-1 placed brew.example']);
  });

  it('are added once; the same key with another order is refused', async () => {
    const outbox = outboxWith();
    await outbox.add(intent('pay-1'));
    expect(await outbox.add(intent('pay-1', { domain: 'Brew.example' }))).toEqual({ added: false });
    const other = outbox.add(intent('pay-1', { expected_price: 1 }));
    await expect(other).rejects.toMatchObject({ name: 'OutboxConflictError' });
    await drainFor(outbox, 1);
    expect(await outbox.add(intent('pay-1'))).toEqual({ added: false });
    const late = outbox.add(intent('pay-1', { expected_price: 1 }));
    await expect(late).rejects.toMatchObject({ name: 'OutboxConflictError' });
    await drainFor(outbox, 1);
    expect(await orders()).toHaveLength(1);
  });

  it.each<[string, unknown, string]>([
    [
      'a price that is no whole number',
      intent('pay-1', { expected_price: 1.5 }),
      'InvalidRequestError',
    ],
    ['no domain', { key: 'pay-1', order: {} }, 'InvalidRequestError'],
    ['no key', { order: intent('x').order }, 'TypeError'],
    ['a blank key', intent(' '), 'TypeError'],
  ])('are refused before anything is stored: %s', async (_what, wrong, name) => {
    const outbox = outboxWith();
    await expect(outbox.add(wrong as OrderIntent)).rejects.toMatchObject({ name });
    expect(await outbox.status()).toMatchObject({ waiting: 0 });
    expect(world.emulator.requests).toHaveLength(0);
  });

  it('are sent as they were stored, on each attempt, whatever the order of their fields', async () => {
    const engine = memoryEngine(world.time.options);
    const outbox = outboxWith({ engine });
    const order = { currency: 'usd', domain: 'BREW.example', expected_price: 250_000 };
    await outbox.add({ key: 'pay-1', order });
    const queue = await engine.open(ordersQueue);
    const { body = '' } = (await queue.find(['pay-1'])).get('pay-1') ?? {};
    world.emulator.faults.on('POST /orders', fault.resetBeforeWork(), { times: 2 });
    await drainFor(outbox);
    const texts = sent().map(({ body: bytes }) => Buffer.from(bytes).toString());
    const stored = JSON.parse(body) as { order: object; sha256: string };
    expect(texts).toEqual(Array(3).fill(JSON.stringify(stored.order)));
    const hashes = texts.map((text) => createHash('sha256').update(text).digest('hex'));
    expect(new Set(hashes)).toEqual(new Set([stored.sha256]));
  });

  it('whose stored order was changed are not sent: a person decides', async () => {
    const engine = memoryEngine(world.time.options);
    const open: typeof engine.open = async (spec) => {
      const queue = await engine.open(spec);
      const enqueue: typeof queue.enqueue = (jobs, options) =>
        queue.enqueue(
          jobs.map((job) => ({ ...job, body: job.body.replace('250000', '1') })),
          options,
        );
      return spec.name === ordersQueue.name ? { ...queue, enqueue } : queue;
    };
    const outbox = outboxWith({ engine: { ...engine, open } });
    await outbox.add(intent('pay-1'));
    await drainFor(outbox, 1);
    expect(sent()).toHaveLength(0);
    expect(told).toEqual(['pay-1 attention invalid_input 0']);
    await outbox.resolve('pay-1', { refused: 'paid back by hand' });
    expect(await outbox.get('pay-1')).toMatchObject({ state: 'refused' });
  });

  it('for one domain never race', async () => {
    const outbox = outboxWith();
    await outbox.add(intent('pay-1'));
    await outbox.add(intent('pay-2'));
    await drainFor(outbox, 1);
    expect(told).toEqual(['pay-1 placed brew.example', 'pay-2 refused not_listed first_attempt']);
  });

  it('are recovered from the partner’s own table', async () => {
    const outbox = outboxWith({
      recover: () => [intent('pay-1'), intent('pay-2', { domain: 'tea.example' })],
    });
    await drainFor(outbox, 2);
    expect(await orders()).toHaveLength(2);
  });

  it('are placed while the partner’s table is still read', async () => {
    let endOfTable = (): void => undefined;
    const read = new Promise<void>((resolve) => (endOfTable = resolve));
    const outbox = outboxWith({
      async *recover() {
        yield* [];
        await read;
        yield intent('pay-2', { domain: 'tea.example' });
      },
    });
    await outbox.add(intent('pay-1'));
    const started = outbox.start();
    await world.time.advance(30_000);
    expect(told).toEqual(['pay-1 placed brew.example']);
    endOfTable();
    await started;
    await world.time.advance(30_000);
    expect(told).toEqual(['pay-1 placed brew.example', 'pay-2 placed tea.example']);
  });

  it('are recovered by the hundred, and one that cannot be added holds back none', async () => {
    const { logger, lines } = recordingLogger();
    const many = Array.from({ length: 450 }, (_, index) => intent(`pay-${index + 10}`));
    const outbox = outboxWith({
      logger,
      recover: () => [
        intent(''),
        intent('pay-1'),
        intent('pay-1', { expected_price: 1 }),
        intent('pay-2', { expected_price: 1 }),
        ...many,
      ],
    });
    await outbox.add(intent('pay-2', { domain: 'tea.example' }));
    const drained = outbox.drain({ maxMs: 1 });
    await world.time.advance(1);
    await drained;
    for (const key of ['pay-1', 'pay-2', 'pay-10', 'pay-459']) {
      expect(await outbox.get(key), key).toBeDefined();
    }
    const errors = lines.filter(({ level }) => level === 'error');
    expect(errors.map(({ fields }) => fields.key)).toEqual(['', 'pay-1', 'pay-2']);
  });

  it('are not worked on where the partner’s table cannot be read', async () => {
    const outbox = outboxWith({
      recover: () => {
        throw new Error('no such table');
      },
    });
    await expect(outbox.start()).rejects.toThrow('no such table');
    await outbox.add(intent('pay-1'));
    await world.time.advance(30_000);
    expect(sent()).toHaveLength(0);
  });
});

describe('verdicts', () => {
  it('a refusal of the first attempt is believed', async () => {
    const outbox = outboxWith();
    await outbox.add(intent('pay-1', { expected_price: 1 }));
    await drainFor(outbox, 1);
    expect(told).toEqual(['pay-1 refused price_mismatch first_attempt']);
    expect(await outbox.get('pay-1')).toMatchObject({
      state: 'refused',
      refusal: { reason: 'price_mismatch', confirmed: 'first_attempt' },
    });
  });

  it.each([
    ['reset after the work', fault.resetAfterWork()],
    ['a gateway’s page after the work', fault.html(502, { afterWork: true })],
    ['a gateway’s 404', fault.html(404)],
    ['500', fault.internalError()],
    ['429', fault.rateLimited(5)],
  ])('%s is repeated with the same key, and placed once', async (_what, trouble) => {
    const outbox = outboxWith();
    await outbox.add(intent('pay-1'));
    world.emulator.faults.on('POST /orders', trouble, { times: 2 });
    await drainFor(outbox);
    expect(told).toEqual(['pay-1 placed brew.example']);
    expect(await orders()).toHaveLength(1);
    expect(new Set(sent().map(({ headers }) => headers['idempotency-key']))).toEqual(
      new Set(['pay-1']),
    );
  });

  it('a refusal after an unknown outcome is not believed where the order exists', async () => {
    await shop.stop();
    // The repeat is refused: the key is forgotten, and the domain is sold.
    await restart({ idempotencyMemory: 1 });
    const outbox = outboxWith();
    await outbox.add(intent('pay-1'));
    world.emulator.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });
    await drainFor(outbox);
    expect(told).toEqual(['pay-1 placed brew.example']);
    expect(sent()).toHaveLength(2);
  });

  it('a refusal after an unknown outcome is believed after two look-ups', async () => {
    const outbox = outboxWith();
    await outbox.add(intent('pay-1', { expected_price: 1 }));
    world.emulator.faults.on('POST /orders', fault.resetBeforeWork(), { times: 1 });
    await drainFor(outbox);
    expect(told).toEqual(['pay-1 refused price_mismatch looked_up']);
    const looks = world.emulator.requests.filter(
      ({ path, method }) => method === 'GET' && path.endsWith('/orders'),
    );
    expect(looks).toHaveLength(2);
  });

  it('an old key is looked up before it is sent', async () => {
    await shop.stop();
    await restart({ idempotencyMemory: '1 minute' });
    const engine = memoryEngine(world.time.options);
    const outbox = outboxWith({ engine, escalateAfterMs: 100 * 3_600_000 });
    await outbox.add(intent('pay-1'));
    world.emulator.faults.on('POST /orders', fault.resetAfterWork());
    const first = outbox.drain({ maxMs: 1_000 });
    await world.time.advance(1_000);
    await first;
    const requests = sent().length;
    world.emulator.faults.clear();
    await world.time.advance(13 * 3_600_000);
    await drainFor(outbox);
    expect(sent()).toHaveLength(requests);
    expect(told).toEqual(['pay-1 placed brew.example']);
  });

  it('a conflict is for a person, who says which order it is', async () => {
    const shared = market();
    const outbox = outboxWith({ market: shared });
    const earlier = await shared.orders.create(intent('x').order, { idempotencyKey: 'pay-1' });
    await outbox.add(intent('pay-1', { buyer: { country: 'GB' } }));
    await drainFor(outbox);
    expect(told).toEqual(['pay-1 attention key_conflict 1']);
    expect(await outbox.get('pay-1')).toMatchObject({
      state: 'attention',
      attention: { reason: 'key_conflict', candidates: [{ public_id: earlier.public_id }] },
    });
    expect(await outbox.list({ state: 'attention' })).toHaveLength(1);
    await outbox.resolve('pay-1', { placed: earlier.public_id });
    await drainFor(outbox, 1);
    expect(told.at(-1)).toBe('pay-1 placed brew.example');
    expect(await outbox.get('pay-1')).toMatchObject({ state: 'placed' });
    await expect(outbox.resolve('pay-1', 'retry')).rejects.toThrow('is placed');
  });

  it('a person may refuse, or have it tried again: what may have been sent is still looked up', async () => {
    const outbox = outboxWith({ escalateAfterMs: 60_000 });
    await outbox.add(intent('pay-1', { expected_price: 1 }));
    await outbox.add(intent('pay-2', { domain: 'tea.example' }));
    world.emulator.faults.on('POST /orders', fault.resetBeforeWork());
    await drainFor(outbox);
    expect(told.sort()).toEqual([
      'pay-1 attention not_placed_in_time 0',
      'pay-2 attention not_placed_in_time 0',
    ]);
    world.emulator.faults.clear();
    await outbox.resolve('pay-1', 'retry');
    await outbox.resolve('pay-2', { refused: 'the buyer withdrew' });
    await drainFor(outbox);
    expect(told.slice(2).sort()).toEqual([
      'pay-1 refused price_mismatch looked_up',
      'pay-2 refused resolved person',
    ]);
  });

  it('refuses a person’s word that names an order of another domain', async () => {
    const outbox = outboxWith({ escalateAfterMs: 1 });
    const tea = await market().orders.create(intent('x', { domain: 'tea.example' }).order);
    await outbox.add(intent('pay-1'));
    world.emulator.faults.on('POST /orders', fault.resetBeforeWork());
    await drainFor(outbox, 1);
    await expect(outbox.resolve('pay-1', { placed: tea.public_id })).rejects.toThrow('tea.example');
  });

  it('a refused credential pauses the whole outbox, and tells why', async () => {
    const secret = 'msk_sandbox_wrong_secret';
    const outbox = outboxWith({ market: world.client({ secret, maxRetries: 0 }) });
    await outbox.add(intent('pay-1'));
    await outbox.add(intent('pay-2', { domain: 'tea.example' }));
    const drained = outbox.drain({ maxMs: 1_000 });
    await world.time.advance(1_000);
    await drained;
    expect((await outbox.status()).paused).toContain('invalid_signature');
    await drainFor(outbox, 1);
    expect(sent().length).toBeLessThan(8);
    expect(told).toEqual([]);
  });
});

describe('callbacks', () => {
  it('are repeated alone: the verdict stands, the order is not sent again', async () => {
    let failures = 3;
    const outbox = outboxWith({
      onPlaced: (_order, { key }, { attempt }) => {
        told.push(`${key} ${attempt}`);
        if (failures-- > 0) throw new Error('database down');
      },
    });
    await outbox.add(intent('pay-1'));
    await drainFor(outbox);
    expect(told).toEqual(['pay-1 1', 'pay-1 2', 'pay-1 3', 'pay-1 4']);
    expect(sent()).toHaveLength(1);
  });

  it('that fail for good are for a person, and the verdict stays', async () => {
    let broken = true;
    const outbox = outboxWith({
      onPlaced: (order) => {
        if (broken) throw new Error('no such column');
        told.push(order.domain);
      },
    });
    await outbox.add(intent('pay-1'));
    await drainFor(outbox, 120);
    expect(await outbox.get('pay-1')).toMatchObject({
      ...{ state: 'attention', order: { domain: 'brew.example' } },
      attention: { reason: 'handler_failed' },
    });
    broken = false;
    await outbox.resolve('pay-1', 'retry');
    await drainFor(outbox, 1);
    expect(told).toEqual(['brew.example']);
    expect(await outbox.get('pay-1')).toMatchObject({ state: 'placed' });
  });

  it('of an intent in attention that fail for good leave the intent there, counted once', async () => {
    const onAttention = () => {
      throw new Error('no pager');
    };
    const outbox = outboxWith({ escalateAfterMs: 1, onAttention });
    await outbox.add(intent('pay-1'));
    world.emulator.faults.on('POST /orders', fault.resetBeforeWork());
    await drainFor(outbox, 120);
    expect(await outbox.status()).toMatchObject({ attention: 1, unreported: 0 });
    expect(await outbox.list({ state: 'attention' })).toMatchObject([{ key: 'pay-1' }]);
    await outbox.resolve('pay-1', { refused: 'the buyer withdrew' });
    await drainFor(outbox, 1);
    expect(await outbox.status()).toMatchObject({ attention: 0, unreported: 0 });
  });

  it('do not change a verdict that was stored before the process ended', async () => {
    const engine = memoryEngine(world.time.options);
    let isBroken = true;
    const open: typeof engine.open = async (spec) => {
      const queue = await engine.open(spec);
      // The process ends after the verdict was stored, before the attempt was ended.
      const work: typeof queue.work = (run, options) =>
        queue.work(async (job) => {
          const result = await run(job);
          return isBroken && spec.name.endsWith('-orders')
            ? { retryInMs: 1_000, error: 'ended' }
            : result;
        }, options);
      return { ...queue, work };
    };
    const outbox = outboxWith({ engine: { ...engine, open } });
    await outbox.add(intent('pay-1'));
    await drainFor(outbox, 1);
    isBroken = false;
    await drainFor(outbox, 2);
    expect(sent()).toHaveLength(1);
    expect(told).toEqual(['pay-1 placed brew.example']);
  });
});

describe('life', () => {
  it('places what was added once it was started, and tells who waits', async () => {
    const outbox = outboxWith();
    await outbox.start();
    await outbox.add(intent('pay-1'));
    const waiting = outbox.waitFor('pay-1');
    await world.time.advance(1_000);
    expect(await waiting).toMatchObject({ state: 'placed' });
    const never = outbox.waitFor('pay-9', { timeoutMs: 500 });
    const refusal = expect(never).rejects.toMatchObject({ name: 'VerdictTimeoutError' });
    await world.time.advance(1_000);
    await refusal;
    expect(await outbox.list({ state: 'placed' })).toHaveLength(1);
    expect(await outbox.list({ state: 'waiting' })).toEqual([]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['"onPlace" is not an option', { onPlace: () => 1 }],
    ['"market" must have a method "orders.create"', { market: {} }],
    ['"onRefused" must be a function', { onRefused: true }],
    ['"idempotencyWindowMs" must be a whole number', { idempotencyWindowMs: 0 }],
    [
      '"recover" is required on redis',
      {
        engine: {
          ...{ name: 'redis', open: () => undefined },
          traits: { survives: 'process', order: 'shard', transactions: false },
        },
      },
    ],
  ])('refuses a wrong option: %s', (message, options) => {
    expect(() => outboxWith(options)).toThrow(message);
  });
});

describe('less common ways', () => {
  it('"resolve" refuses an intent that is not in attention, or not known', async () => {
    const outbox = outboxWith();
    await expect(outbox.resolve('pay-9', 'retry')).rejects.toThrow('"pay-9" is unknown');
    await outbox.add(intent('pay-1'));
    await expect(outbox.resolve('pay-1', 'retry')).rejects.toThrow('"pay-1" is waiting');
  });

  it('a person may say that a callback is not needed any more', async () => {
    const outbox = outboxWith({ onPlaced: () => Promise.reject(new Error('no such column')) });
    await outbox.add(intent('pay-1'));
    await drainFor(outbox, 120);
    expect(await outbox.list({ state: 'attention' })).toMatchObject([
      { key: 'pay-1', attention: { reason: 'handler_failed' } },
    ]);
    const { order } = (await outbox.get('pay-1'))!;
    await outbox.resolve('pay-1', { placed: order!.public_id });
    expect(await outbox.get('pay-1')).toMatchObject({ state: 'placed', order });
    expect(await outbox.list({ state: 'attention' })).toEqual([]);
    expect(await outbox.status()).toMatchObject({ attention: 0, unreported: 0 });
  });

  it('a refusal whose callback fails for good stays a refusal', async () => {
    const outbox = outboxWith({ onRefused: () => Promise.reject(new Error('no such column')) });
    await outbox.add(intent('pay-1', { expected_price: 1 }));
    await drainFor(outbox, 120);
    expect(await outbox.get('pay-1')).toMatchObject({
      ...{ state: 'attention', refusal: { reason: 'price_mismatch' } },
      attention: { reason: 'handler_failed' },
    });
  });

  it('a callback that takes longer than a minute failed, and is told', async () => {
    const signals: AbortSignal[] = [];
    const outbox = outboxWith({
      onPlaced: (_order, _intent, { signal, attempt }) => {
        signals.push(signal);
        return attempt === 1 ? new Promise(() => undefined) : told.push('told');
      },
    });
    await outbox.add(intent('pay-1'));
    await outbox.start();
    await world.time.advance(59_000);
    expect([signals.length, signals[0]?.aborted]).toEqual([1, false]);
    await world.time.advance(5_000);
    expect(signals[0]?.aborted).toBe(true);
    expect(told).toEqual(['told']);
  });

  it('a callback that ends the process each time is for a person', async () => {
    const engine = memoryEngine(world.time.options);
    const open: typeof engine.open = async (spec) => {
      const queue = await engine.open(spec);
      // Claimed twelve times before, and nobody lived to say what came of it.
      const work: typeof queue.work = (run, options) =>
        queue.work((job) => run({ ...job, attempt: 13 }), options);
      return spec.name.endsWith('-verdicts') ? { ...queue, work } : queue;
    };
    const outbox = outboxWith({ engine: { ...engine, open } });
    await outbox.add(intent('pay-1'));
    await drainFor(outbox, 1);
    expect(told).toEqual([]);
    expect(await outbox.get('pay-1')).toMatchObject({
      attention: { reason: 'handler_failed', message: expect.stringContaining('process ended') },
    });
  });

  it('during a pause nothing is sent, and no look-up is made', async () => {
    const outbox = outboxWith({ concurrency: 1 });
    world.emulator.faults.on('POST /orders', fault.status(401, { code: 'invalid_signature' }));
    await outbox.add(intent('pay-1'));
    await outbox.add(intent('pay-2', { domain: 'tea.example' }));
    const drained = outbox.drain({ maxMs: 1_000 });
    await world.time.advance(1_000);
    await drained;
    expect(sent()).toHaveLength(1);
    expect(await outbox.get('pay-2')).toMatchObject({ state: 'waiting', attempts: 1 });
    world.emulator.faults.clear();
    await drainFor(outbox, 3);
    expect(told.sort()).toEqual(['pay-1 placed brew.example', 'pay-2 placed tea.example']);
  });

  it('what this version of the client refuses is for a person', async () => {
    const shared = market();
    let isNewer = false;
    const strict = (...[order, options]: Parameters<typeof shared.orders.create>) =>
      shared.orders.create(isNewer ? { ...order, expected_price: -1 } : order, options);
    const orders = new Proxy(shared.orders, {
      get: (target, name: 'create' | 'list') =>
        name === 'create' ? strict : target[name].bind(target),
    });
    const outbox = outboxWith({ market: { orders, environment: shared.environment } });
    await outbox.add(intent('pay-1'));
    isNewer = true;
    await drainFor(outbox, 1);
    expect(told).toEqual(['pay-1 attention invalid_input 0']);
    expect(sent()).toHaveLength(0);
  });

  it('"waitFor" ends with its signal, and the fields of an order may be lists', async () => {
    const outbox = outboxWith();
    const tags = [{ b: 2, a: [1, 'x', null] }];
    await outbox.add(intent('pay-1', { tags } as never));
    const stop = new AbortController();
    const waiting = outbox.waitFor('pay-1', { signal: stop.signal });
    stop.abort(new Error('the page was closed'));
    await expect(waiting).rejects.toThrow('the page was closed');
    await drainFor(outbox, 1);
    const text = Buffer.from(sent()[0]!.body).toString();
    expect(text).toContain('"tags":[{"a":[1,"x",null],"b":2}]');
  });

  it('lists what was refused, and what is being placed', async () => {
    const outbox = outboxWith();
    await outbox.add(intent('pay-1', { expected_price: 1 }));
    await drainFor(outbox, 1);
    expect(await outbox.list({ state: 'refused' })).toMatchObject([{ key: 'pay-1' }]);
    expect(await outbox.list({ state: 'placed' })).toEqual([]);
    expect(await outbox.list({ state: 'placing' })).toEqual([]);
  });

  it('an await using outbox stops at the end of its block', async () => {
    const outbox = outboxWith();
    await outbox.start();
    await outbox[Symbol.asyncDispose]();
    // A sale that is paid while the process ends is stored, for the next one.
    await expect(outbox.add(intent('pay-1'))).resolves.toEqual({ added: true });
    await world.time.advance(120_000);
    expect(sent()).toHaveLength(0);
    expect(await outbox.get('pay-1')).toMatchObject({ state: 'waiting' });
  });
});

import type { OrderOutbox } from 'market-partner-sdk/durable';
import { expect, it, onTestFinished, vi } from 'vitest';
import { intent, useOutboxWorld } from './support/outbox-world.js';

const world = useOutboxWorld();

it('a started outbox places what is added, and waitFor resolves or times out', async () => {
  const outbox = world.outboxWith();
  await outbox.start();
  await outbox.add(intent('pay-1'));
  const waiting = outbox.waitFor('pay-1');
  await world.time.advance(1_000);
  expect(await waiting).toMatchObject({ state: 'placed' });
  expect(await outbox.list({ state: 'placed' })).toHaveLength(1);
  expect(await outbox.list({ state: 'waiting' })).toEqual([]);
});

it('works through a proxy around it', async () => {
  const outbox = new Proxy(world.outboxWith(), {});
  await outbox.add(intent('pay-1'));
  await outbox.drain({ maxMs: 10_000 });
  expect(await outbox.get('pay-1')).toMatchObject({ state: 'placed' });
});

it.each<[string, string, RegExp]>([
  ['that was added, the outbox goes on', 'pay-1', /"pay-1" has no result.*still working on it/],
  ['that was never added, nothing is sent', 'pay-9', /^No sale has the key "pay-9".*nothing is/],
])('waitFor says what follows when its time is over: for a key %s', async (_what, key, message) => {
  const outbox = await world.outboxWithSale();
  const waiting = outbox.waitFor(key, { timeoutMs: 500 });
  const refusal = expect(waiting).rejects.toMatchObject({
    name: 'ResultTimeoutError',
    message: expect.stringMatching(message) as string,
  });
  await world.time.advance(1_000);
  await refusal;
});

it.each<[string, Record<string, unknown>]>([
  ['"onPlace" is not an option', { onPlace: () => 1 }],
  ['"market" must have a method "orders.create"', { market: {} }],
  ['"onPlaced" is required', { onPlaced: undefined }],
  ['"onRefused" is required', { onRefused: undefined }],
  ['"onAttention" is required', { onAttention: undefined }],
  ['"onRefused" must be a function', { onRefused: true }],
  ['"requote" must be "at_most_paid" or "never"', { requote: 'always' }],
  ['"clock" must be a function', { clock: 5 }],
  ['"sleep" must be a function', { sleep: 5 }],
  ['"random" must be a function', { random: 5 }],
  ['"logger" must be an object', { logger: 'x' }],
  ['"idempotencyWindowMs" must be a whole number', { idempotencyWindowMs: 0 }],
])('a wrong option is refused by name: %s', (message, options) => {
  expect(() => world.outboxWith(options)).toThrow(message);
});

it.each<[string, (outbox: OrderOutbox) => Promise<unknown>]>([
  ['"options" must be an object', (outbox) => outbox.drain(undefined as never)],
  ['"maxMs" must be a whole number', (outbox) => outbox.drain({ maxMs: 'x' } as never)],
  ['"maxMs" is required', (outbox) => outbox.drain({} as never)],
  ['"options" must be an object', (outbox) => outbox.list(null as never)],
  ['"state" must be', (outbox) => outbox.list({ state: 'bogus' } as never)],
  ['"limit" must be', (outbox) => outbox.list({ state: 'placed', limit: 0 })],
  ['"timeoutMs" must be', (outbox) => outbox.waitFor('pay-1', { timeoutMs: -1 })],
  ['"graceMs" must be', (outbox) => outbox.stop({ graceMs: 'x' } as never)],
  ['"write" must be a function', (outbox) => outbox.add(intent('pay-1'), { write: 1 } as never)],
  ['"tx" is undefined', (outbox) => outbox.add(intent('pay-1'), { tx: undefined } as never)],
  ['"write" is undefined', (outbox) => outbox.add(intent('pay-1'), { write: undefined } as never)],
  [
    '"write" cannot be used with "tx", since the engine runs it in a transaction of its own',
    (outbox) => outbox.add(intent('pay-1'), { tx: {}, write: () => undefined } as never),
  ],
  ['"txn" is not an option', (outbox) => outbox.add(intent('pay-1'), { txn: 1 } as never)],
  ['"as" must be { placed: "<public_id>" }', (outbox) => outbox.resolve('pay-1', 'again' as never)],
  [
    // Whichever of the two was meant, the other would decide about the money.
    '"as" must be { placed: "<public_id>" }',
    (outbox) => outbox.resolve('pay-1', { placed: 'ord_1', refused: undefined }),
  ],
  ['"as.refused" must be well-formed', (outbox) => outbox.resolve('pay-1', { refused: '\0' })],
  ['"reason" is required', (outbox) => outbox.cancel('pay-1', undefined as never)],
  ['"reason" must be a non-empty string', (outbox) => outbox.cancel('pay-1', ' ')],
  ['"reason" must be well-formed Unicode', (outbox) => outbox.cancel('pay-1', 'a\0b')],
])('a call with a wrong argument is refused by name: %s', async (message, call) => {
  const called = call(world.outboxWith());
  await expect(called).rejects.toMatchObject({
    name: 'DurableConfigurationError',
    message: expect.stringContaining(message) as string,
  });
});

it('120 placed sales hide no refused one, and pages follow each other', async () => {
  const outbox = world.outboxWith();
  await world.addSales(outbox, 120);
  await outbox.add(intent('pay-refused', { expected_price: 1 }));
  await world.drainFor(outbox, 2);
  const keys = async (...[options]: Parameters<typeof outbox.list>) =>
    (await outbox.list(options)).map(({ key }) => key);
  expect(await keys({ state: 'refused' })).toEqual(['pay-refused']);
  const pages: string[][] = [];
  for (let cursor: string | undefined; pages.length < 4;) {
    const page = await outbox.list({ state: 'placed', limit: 50, cursor });
    pages.push(page.map(({ key }) => key));
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  expect(pages.map(({ length }) => length)).toEqual([50, 50, 20]);
  expect(new Set(pages.flat()).size).toBe(120);
});

it('each state lists its own sales', async () => {
  let isHanging = false;
  const fetch: typeof globalThis.fetch = (...request) =>
    isHanging ? new Promise(() => undefined) : world.emulator.fetch(...request);
  const outbox = world.outboxWith({ market: world.client({ fetch }) });
  await outbox.add(intent('placed'));
  await outbox.add(intent('refused', { domain: 'tea.example', expected_price: 1 }));
  await world.drainFor(outbox, 1);
  isHanging = true;
  await outbox.add(intent('placing', { domain: 'tea.example' }));
  await outbox.add(intent('waiting', { domain: 'tea.example' }));
  await outbox.start();
  await world.time.advance(1_000);
  const states = ['waiting', 'placing', 'placed', 'refused', 'attention'] as const;
  const listed = states.map(async (state) => (await outbox.list({ state })).map(({ key }) => key));
  expect(await Promise.all(listed)).toEqual([
    ['waiting'],
    ['placing'],
    ['placed'],
    ['refused'],
    [],
  ]);
});

it.each([1, 2, 3, 4])(
  'the pages of attention, %i at a time, hold each sale once',
  async (limit) => {
    const fail = () => Promise.reject(new Error('no such column'));
    const failing = ['pay-1', 'pay-2', 'pay-3'];
    const market = world.client();
    const onPlaced = (_order: unknown, { key }: { readonly key: string }) =>
      failing.includes(key) ? fail() : undefined;
    const outbox = world.outboxWith({ market, onPlaced, onAttention: fail });
    // Dead intents: the service knows their keys with another order.
    await market.orders.create(intent('x').order, { idempotencyKey: 'pay-4' });
    await market.orders.create(intent('x', { domain: 'tea.example' }).order, {
      idempotencyKey: 'pay-5',
    });
    await world.addSales(outbox, 9);
    world.isBusy = true;
    await world.drainFor(outbox, 120);
    const pages = async (state: 'attention' | 'placed') => {
      const found: string[][] = [];
      for (let cursor: string | undefined; found.length < 50;) {
        const page = await outbox.list({ state, limit, cursor });
        found.push(page.map(({ key }) => key));
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
      return found;
    };
    const inPages = (keys: readonly string[]) =>
      Array.from({ length: Math.ceil(keys.length / limit) }, (_none, at) =>
        keys.slice(at * limit, (at + 1) * limit),
      );
    expect(await pages('attention')).toEqual(inPages(['pay-4', 'pay-5', ...failing]));
    // Among them are three whose callbacks failed.
    const others = Array.from({ length: 24 }, (_none, index) => `other-${index + 1}`);
    expect(await pages('placed')).toEqual(inPages(['pay-0', 'pay-6', 'pay-7', 'pay-8', ...others]));
  },
);

it('a refused sale is written to the console unless logger is false', async () => {
  const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const warnings = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  onTestFinished(() => {
    errors.mockRestore();
    warnings.mockRestore();
  });
  const fail = () => Promise.reject(new Error('no such column'));
  for (const logger of [false, undefined] as const) {
    const outbox = await world.outboxWithSale({ logger, onRefused: fail }, { expected_price: 1 });
    await world.drainFor(outbox, 1);
    expect(warnings.mock.calls.length > 0).toBe(logger === undefined);
  }
});

it('waitFor ends with its signal, and fields of an order may be lists', async () => {
  const outbox = world.outboxWith();
  const tags = [{ b: 2, a: [1, 'x', null] }];
  await outbox.add(intent('pay-1', { tags } as never));
  const stop = new AbortController();
  const waiting = outbox.waitFor('pay-1', { signal: stop.signal });
  stop.abort(new Error('the page was closed'));
  await expect(waiting).rejects.toThrow('the page was closed');
  expect(world.time.sleeping).toBe(0);
  await world.drainFor(outbox, 1);
  const text = Buffer.from(world.requests('POST')[0]!.body).toString();
  expect(text).toContain('"tags":[{"a":[1,"x",null],"b":2}]');
});

it('an outbox that was disposed still stores what is added', async () => {
  const outbox = world.outboxWith();
  await outbox.start();
  await outbox[Symbol.asyncDispose]();
  // A sale that is paid while the process ends is stored, for the next one.
  await expect(outbox.add(intent('pay-1'))).resolves.toEqual({ added: true });
  await world.time.advance(120_000);
  expect(world.requests('POST')).toHaveLength(0);
  expect(await outbox.get('pay-1')).toMatchObject({ state: 'waiting' });
});

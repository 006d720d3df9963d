import { createHash } from 'node:crypto';
import { type PaidSale } from 'market-partner-sdk/durable';
import { fault } from 'market-partner-sdk/testing';
import { expect, it } from 'vitest';
import { recordingLogger } from '../support/recording-logger.js';
import { intent, ordersQueue, useOutboxWorld } from './support/outbox-world.js';
import type { DurableQueue } from '../../src/durable/queue/engine.js';
import type { Job } from '../../src/durable/queue/job.js';
import { memoryEngine, withQueues } from './support/open-engines.js';

const world = useOutboxWorld();

it('an intent is stored in its final form, with the key as its reference', async () => {
  const outbox = world.outboxWith();
  expect(await outbox.add(intent('pay-1', { domain: 'BREW.example', currency: 'usd' }))).toEqual({
    added: true,
  });
  expect(world.requests('POST')).toHaveLength(0);
  expect(await outbox.get('pay-1')).toMatchObject({ state: 'waiting', attempts: 0 });
  await world.drainFor(outbox, 1);
  expect(await outbox.get('pay-1')).toMatchObject({
    state: 'placed',
    order: { domain: 'brew.example', external_payment_ref: 'pay-1' },
  });
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
});

it('an intent is added once, and its key with another order is a conflict', async () => {
  const outbox = await world.outboxWithSale();
  expect(await outbox.add(intent('pay-1', { domain: 'Brew.example' }))).toEqual({ added: false });
  const other = outbox.add(intent('pay-1', { expected_price: 1 }));
  await expect(other).rejects.toMatchObject({ name: 'OutboxConflictError' });
  await world.drainFor(outbox, 1);
  expect(await outbox.add(intent('pay-1'))).toEqual({ added: false });
  const late = outbox.add(intent('pay-1', { expected_price: 1 }));
  await expect(late).rejects.toMatchObject({ name: 'OutboxConflictError' });
  await world.drainFor(outbox, 1);
  expect(await world.orders()).toHaveLength(1);
});

it('an order that differs only as its checked form does not is the same order', async () => {
  const outbox = world.outboxWith();
  const order = (country: string) => intent('pay-1', { buyer: { country } });
  expect(await outbox.add(order('gb'))).toEqual({ added: true });
  expect(await outbox.add(order('GB'))).toEqual({ added: false });
  await expect(outbox.add(order('DE'))).rejects.toMatchObject({ name: 'OutboxConflictError' });
  await world.drainFor(outbox, 1);
  expect(
    world.requests('POST').map(({ body }) => JSON.parse(String(body)) as unknown),
  ).toMatchObject([{ buyer: { country: 'GB' } }]);
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
])('an intent with %s is refused before anything is stored', async (_what, wrong, name) => {
  const outbox = world.outboxWith();
  await expect(outbox.add(wrong as PaidSale)).rejects.toMatchObject({ name });
  expect(await outbox.status()).toMatchObject({ waiting: 0 });
  expect(world.emulator.requests).toHaveLength(0);
});

it('every attempt sends the bytes that were stored, in any order of the fields', async () => {
  const engine = memoryEngine(world.time.options);
  const outbox = world.outboxWith({ engine });
  const order = { currency: 'usd', domain: 'BREW.example', expected_price: 250_000 };
  await outbox.add({ key: 'pay-1', order });
  const queue = await engine.open(ordersQueue);
  const { body = '' } = (await queue.find(['pay-1'])).get('pay-1') ?? {};
  world.emulator.faults.on('POST /orders', fault.resetBeforeWork(), { times: 2 });
  await world.drainFor(outbox);
  const texts = world.requests('POST').map(({ body: bytes }) => Buffer.from(bytes).toString());
  const stored = JSON.parse(body) as { order: object; sha256: string };
  expect(texts).toEqual(Array(3).fill(JSON.stringify(stored.order)));
  const hashes = texts.map((text) => createHash('sha256').update(text).digest('hex'));
  expect(new Set(hashes)).toEqual(new Set([stored.sha256]));
});

it('an intent whose stored order was changed is not sent and needs an operator', async () => {
  const change = (job: Job) => ({ ...job, body: job.body.replace('250000', '1') });
  const changing = (queue: DurableQueue): Partial<DurableQueue> => ({
    enqueue: (jobs, options) => queue.enqueue(jobs.map(change), options),
  });
  const engine = withQueues(memoryEngine(world.time.options), changing, '-orders');
  const outbox = await world.outboxWithSale({ engine });
  await world.drainFor(outbox, 1);
  expect(world.requests('POST')).toHaveLength(0);
  expect(world.reported).toEqual(['pay-1 attention invalid_input 0']);
  await outbox.resolve('pay-1', { refused: 'paid back by hand' });
  expect(await outbox.get('pay-1')).toMatchObject({ state: 'refused' });
});

it('two intents for one domain never race', async () => {
  const outbox = await world.outboxWithSale();
  await outbox.add(intent('pay-2'));
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual([
    'pay-1 placed brew.example',
    'pay-2 refused not_listed first_attempt',
  ]);
});

it('stored intents are placed while the own table of the partner is still being read', async () => {
  let endOfTable = (): void => undefined;
  const read = new Promise<void>((resolve) => (endOfTable = resolve));
  const outbox = world.outboxWith({
    async *recover() {
      yield* [];
      await read;
      yield intent('pay-2', { domain: 'tea.example' });
    },
  });
  await outbox.add(intent('pay-1'));
  const started = outbox.start();
  await world.time.advance(30_000);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
  endOfTable();
  await started;
  await world.time.advance(30_000);
  expect(world.reported).toEqual(['pay-1 placed brew.example', 'pay-2 placed tea.example']);
});

it('intents are recovered by the hundred, and one that cannot be added holds back no other', async () => {
  const { logger, lines } = recordingLogger();
  const many = Array.from({ length: 450 }, (_, index) => intent(`pay-${index + 10}`));
  const outbox = world.outboxWith({
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
  await world.drain(outbox, 1);
  for (const key of ['pay-1', 'pay-2', 'pay-10', 'pay-459']) {
    expect(await outbox.get(key), key).toBeDefined();
  }
  const keysOf = (wanted: string) =>
    lines.filter(({ level }) => level === wanted).map(({ fields }) => fields.key);
  expect(keysOf('error')).toEqual(['row 1']);
  expect(keysOf('warn')).toEqual(['pay-1', 'pay-2']);
});

it('an outbox starts and places what is stored although recover throws, and tries it again', async () => {
  let isDown = true;
  const outbox = world.outboxWith({
    recover: () => {
      if (isDown) throw new Error('no such table');
      return [intent('pay-2', { domain: 'tea.example' })];
    },
  });
  await outbox.start();
  await outbox.add(intent('pay-1'));
  await world.time.advance(30_000);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
  expect((await outbox.status()).recover.error).toContain('no such table');
  isDown = false;
  await world.time.advance(120_000);
  expect(world.reported).toEqual(['pay-1 placed brew.example', 'pay-2 placed tea.example']);
  expect((await outbox.status()).recover.error).toBeNull();
});

import { memoryEngine } from 'market-partner-sdk/durable';
import { fault } from 'market-partner-sdk/testing';
import { expect, it } from 'vitest';
import { intent, useOutboxWorld } from './support/outbox-world.js';

const world = useOutboxWorld();

it('a refusal of the first attempt is believed', async () => {
  const outbox = await world.outboxWithSale({}, { expected_price: 1 });
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual(['pay-1 refused price_mismatch first_attempt']);
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
])('after %s the order is sent again with the same key and placed once', async (_what, trouble) => {
  const outbox = await world.outboxWithSale();
  world.emulator.faults.on('POST /orders', trouble, { times: 2 });
  await world.drainFor(outbox);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
  expect(await world.orders()).toHaveLength(1);
  expect(new Set(world.requests('POST').map(({ headers }) => headers['idempotency-key']))).toEqual(
    new Set(['pay-1']),
  );
});

it('a refusal after an unknown outcome is not believed if the order exists', async () => {
  // The repeat is refused: the key is forgotten, and the domain is sold.
  await world.restart({ idempotencyMemory: 1 });
  const outbox = await world.outboxWithSale();
  world.emulator.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });
  await world.drainFor(outbox);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
  expect(world.requests('POST')).toHaveLength(2);
});

it('a refusal after an unknown outcome is believed after two look-ups', async () => {
  const outbox = await world.outboxWithSale({ requote: 'never' }, { expected_price: 1 });
  world.emulator.faults.on('POST /orders', fault.resetBeforeWork(), { times: 1 });
  await world.drainFor(outbox);
  expect(world.reported).toEqual(['pay-1 refused price_mismatch looked_up']);
  const looks = world.emulator.requests.filter(
    ({ path, method }) => method === 'GET' && path.endsWith('/orders'),
  );
  expect(looks).toHaveLength(2);
});

it('an old key is looked up before it is sent', async () => {
  await world.restart({ idempotencyMemory: '1 minute' });
  const engine = memoryEngine(world.time.options);
  const outbox = await world.outboxWithSale({ engine, escalateAfterMs: 100 * 3_600_000 });
  world.emulator.faults.on('POST /orders', fault.resetAfterWork());
  const first = outbox.drain({ maxMs: 1_000 });
  await world.time.advance(1_000);
  await first;
  const requests = world.requests('POST').length;
  world.emulator.faults.clear();
  await world.time.advance(13 * 3_600_000);
  await world.drainFor(outbox);
  expect(world.requests('POST')).toHaveLength(requests);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
});

it('a key conflict needs an operator, who says which order it is', async () => {
  const shared = world.client();
  const outbox = world.outboxWith({ market: shared });
  const earlier = await shared.orders.create(intent('x').order, { idempotencyKey: 'pay-1' });
  await outbox.add(intent('pay-1', { buyer: { country: 'GB' } }));
  await world.drainFor(outbox);
  expect(world.reported).toEqual(['pay-1 attention key_conflict 1']);
  expect(await outbox.get('pay-1')).toMatchObject({
    state: 'attention',
    attention: { reason: 'key_conflict', candidates: [{ public_id: earlier.public_id }] },
  });
  expect(await outbox.list({ state: 'attention' })).toHaveLength(1);
  await outbox.resolve('pay-1', { placed: earlier.public_id });
  await world.drainFor(outbox, 1);
  expect(world.reported.at(-1)).toBe('pay-1 placed brew.example');
  expect(await outbox.get('pay-1')).toMatchObject({ state: 'placed' });
  await expect(outbox.resolve('pay-1', 'retry')).rejects.toThrow('is placed');
});

it('an operator may refuse or retry, and what may have been sent is still looked up', async () => {
  const outbox = await world.outboxWithSale({ escalateAfterMs: 60_000 }, { expected_price: 1 });
  await outbox.add(intent('pay-2', { domain: 'tea.example' }));
  world.emulator.faults.on('POST /orders', fault.resetBeforeWork());
  await world.drainFor(outbox);
  expect(world.reported.sort()).toEqual([
    'pay-1 attention not_placed_in_time 0',
    'pay-2 attention not_placed_in_time 0',
  ]);
  world.emulator.faults.clear();
  await outbox.resolve('pay-1', 'retry');
  await outbox.resolve('pay-2', { refused: 'the buyer withdrew' });
  await world.drainFor(outbox);
  expect(world.reported.slice(2).sort()).toEqual([
    'pay-1 refused price_mismatch looked_up',
    'pay-2 refused resolved operator',
  ]);
});

it('a decision that names an order of another domain is refused', async () => {
  const outbox = world.outboxWith({ escalateAfterMs: 1 });
  const tea = await world.client().orders.create(intent('x', { domain: 'tea.example' }).order);
  await outbox.add(intent('pay-1'));
  world.emulator.faults.on('POST /orders', fault.resetBeforeWork());
  await world.drainFor(outbox, 1);
  await expect(outbox.resolve('pay-1', { placed: tea.public_id })).rejects.toThrow('tea.example');
});

it('a refused credential pauses the whole outbox, and the status says why', async () => {
  const secret = 'msk_sandbox_wrong_secret';
  const outbox = await world.outboxWithSale({ market: world.client({ secret }) });
  await outbox.add(intent('pay-2', { domain: 'tea.example' }));
  await world.drain(outbox, 1_000);
  expect((await outbox.status()).paused).toContain('invalid_signature');
  await world.drainFor(outbox, 1);
  expect(world.requests('POST').length).toBeLessThan(8);
  expect(world.reported).toEqual([]);
});

it('resolve refuses an intent that is not in attention, or not known', async () => {
  const outbox = world.outboxWith();
  await expect(outbox.resolve('pay-9', 'retry')).rejects.toThrow('"pay-9" is unknown');
  await outbox.add(intent('pay-1'));
  await expect(outbox.resolve('pay-1', 'retry')).rejects.toThrow('"pay-1" is waiting');
});

it('during a pause nothing is sent and nothing is looked up', async () => {
  const outbox = world.outboxWith({ concurrency: 1 });
  world.emulator.faults.on('POST /orders', fault.status(401, { code: 'invalid_signature' }));
  await outbox.add(intent('pay-1'));
  await outbox.add(intent('pay-2', { domain: 'tea.example' }));
  await world.drain(outbox, 1_000);
  expect(world.requests('POST')).toHaveLength(1);
  expect(await outbox.get('pay-2')).toMatchObject({ state: 'waiting', attempts: 1 });
  world.emulator.faults.clear();
  await world.drainFor(outbox, 3);
  expect(world.reported.sort()).toEqual(['pay-1 placed brew.example', 'pay-2 placed tea.example']);
});

import { fault, type FaultRequest } from 'market-partner-sdk/testing';
import type { Refusal } from 'market-partner-sdk/durable';
import { expect, it } from 'vitest';
import { intent, useOutboxWorld } from './support/outbox-world.js';

const world = useOutboxWorld();

const prices = async () => (await world.orders()).map(({ sale_price_cents: price }) => price);
const sentKeys = () => world.requests('POST').map(({ headers }) => headers['idempotency-key']);
/** The first key is refused, the derived one places the order. */
const isDerived = ({ method, path, headers }: FaultRequest) =>
  method === 'POST' && path.endsWith('/orders') && headers['idempotency-key'] !== 'pay-1';

it('a sale whose quote expired while the service was away is placed by default', async () => {
  const quote = await world.market.market.orders.quote({ domain: 'brew.example' });
  const outbox = await world.outboxWithSale({}, { quote_id: quote.quote_id });
  world.emulator.faults.on('POST /orders', fault.resetBeforeWork());
  await world.drainFor(outbox, 11);
  world.emulator.faults.clear();
  await world.drainFor(outbox, 10);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
  expect(await prices()).toEqual([250_000]);
});

it('a sale whose price fell is placed at the lower price', async () => {
  const outbox = await world.outboxWithSale();
  world.emulator.admin.reprice('brew.example', 240_000);
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
  expect(await prices()).toEqual([240_000]);
});

it('a sale whose price rose above what was paid is refused', async () => {
  const outbox = await world.outboxWithSale();
  world.emulator.admin.reprice('brew.example', 260_000);
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual(['pay-1 refused price_mismatch first_attempt']);
  expect(sentKeys()).toEqual(['pay-1']);
});

it('requote: never refuses a sale whose price fell', async () => {
  const outbox = await world.outboxWithSale({ requote: 'never' });
  world.emulator.admin.reprice('brew.example', 240_000);
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual(['pay-1 refused price_mismatch first_attempt']);
});

it('a requote whose response was lost is found, although the first price is back', async () => {
  const outbox = await world.outboxWithSale();
  world.emulator.admin.reprice('brew.example', 240_000);
  world.emulator.faults.on(isDerived, fault.resetAfterWork(), { times: 1 });
  await world.drain(outbox, 200);
  // The same domain is for sale again, at the price that the first key was sent with.
  world.emulator.admin.list({ domain: 'brew.example', price_cents: 250_000 });
  const sent = sentKeys().length;
  await world.drainFor(outbox);
  // Looked up before anything is sent: the first key could place a second order.
  expect(sentKeys().slice(sent)).toEqual([]);
  expect(await world.orders()).toHaveLength(1);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
});

it('the message of a refusal ends the matter and sends no one to orders.resume', async () => {
  const refusals: Refusal[] = [];
  const outbox = await world.outboxWithSale(
    { onRefused: (refusal) => refusals.push(refusal) },
    { expected_price: 1 },
  );
  await outbox.add(intent('pay-2', { domain: 'gone.example' }));
  await world.drainFor(outbox, 1);
  expect(refusals).toHaveLength(2);
  for (const { message } of refusals) {
    expect(message).toMatch(/No order exists under the key "pay-\d", and none will be placed/);
    expect(message).not.toContain('resume');
  }
});

it('a requote whose response was lost is found although the reference was given as undefined', async () => {
  const outbox = await world.outboxWithSale({}, { external_payment_ref: undefined });
  world.emulator.admin.reprice('brew.example', 240_000);
  world.emulator.faults.on(isDerived, fault.resetAfterWork(), { times: 1 });
  await world.drainFor(outbox);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
  expect(await world.orders()).toMatchObject([{ external_payment_ref: 'pay-1' }]);
});

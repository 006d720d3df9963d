import { afterEach, beforeEach, expect, it } from 'vitest';
import { InvalidRequestError } from 'market-partner-sdk';
import { fault } from 'market-partner-sdk/testing';
import { intent, OutboxWorld } from './support/outbox-world.js';

const hourMs = 3_600_000;

let world: OutboxWorld;

beforeEach(async () => (world = await OutboxWorld.start()));
afterEach(() => world.stop());

const from = () => new Date(world.time.nowMs - 2 * hourMs);
const kinds = (findings: readonly { kind: string; idempotencyKey?: string }[]) =>
  findings.map(({ kind, idempotencyKey }) => `${kind} ${idempotencyKey ?? ''}`).sort();

it('an outbox whose sales were placed and refused agrees with the service', async () => {
  const outbox = world.outboxWith({ requote: 'never' });
  await outbox.add(intent('pay-1'));
  await outbox.add(intent('pay-2', { domain: 'tea.example', expected_price: 1 }));
  await world.drainFor(outbox);
  await world.time.advance(hourMs);
  const comparison = outbox.reconcile({ from: from() });
  expect(await comparison.toArray()).toEqual([]);
  expect(comparison.summary).toMatchObject({ sales: 2, orders: 1, agreed: 2 });
});

it('a sale that was placed at a lower price by a requote agrees with its order', async () => {
  const outbox = world.outboxWith();
  world.emulator.admin.reprice('brew.example', 200_000);
  await outbox.add(intent('pay-1'));
  await world.drainFor(outbox);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
  await world.time.advance(hourMs);
  expect(await outbox.reconcile({ from: from() }).toArray()).toEqual([]);
});

it('an intent that waits for an hour without an order is missing at the service', async () => {
  const outbox = world.outboxWith();
  world.emulator.faults.on('POST /orders', fault.internalError());
  await outbox.add(intent('pay-1'));
  await world.drainFor(outbox, 1);
  await world.time.advance(hourMs);
  expect(kinds(await outbox.reconcile({ from: from() }).toArray())).toEqual([
    'missing_at_service pay-1',
  ]);
});

it('an order that the outbox knows nothing of is unknown, and a refund is behind', async () => {
  const outbox = world.outboxWith();
  await outbox.add(intent('pay-1'));
  await world.drainFor(outbox);
  const [order] = await world.orders();
  world.emulator.admin.refund(order!.public_id);
  const { order: other } = intent('', { domain: 'tea.example' });
  await world.client().orders.create(other, { idempotencyKey: 'elsewhere' });
  await world.time.advance(hourMs);
  expect(kinds(await outbox.reconcile({ from: from() }).toArray())).toEqual([
    'behind pay-1',
    'unknown_here ',
  ]);
});

it('more than a page of sales is read, each once', async () => {
  const outbox = world.outboxWith();
  for (let at = 0; at < 501; at += 1) {
    await outbox.add(intent(`pay-${at}`, { domain: `name-${at}.example` }));
  }
  const comparison = outbox.reconcile({ from: from(), to: world.time.nowMs + 1 });
  const findings = await comparison.toArray();
  expect(comparison.summary).toMatchObject({ sales: 501, agreed: 0, notCheckable: 501 });
  expect(new Set(findings.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(501);
});

it('a wrong window is refused at once', () => {
  const outbox = world.outboxWith();
  expect(() => outbox.reconcile({ from: 'yesterday' })).toThrow(InvalidRequestError);
  expect(() => outbox.reconcile({} as never)).toThrow('"from" is required');
});

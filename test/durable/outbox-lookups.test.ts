import { fault } from 'market-partner-sdk/testing';
import { beforeEach, expect, it } from 'vitest';
import { useOutboxWorld } from './support/outbox-world.js';

const world = useOutboxWorld({ idempotencyMemory: 1 });

// The response of an order is lost, and the service has forgotten its key when it is sent again.
beforeEach(() => {
  world.emulator.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });
});

it('a look-up that a cache answers leaves the intent open, then an operator decides', async () => {
  const cached: typeof fetch = async (...request) => {
    const response = await world.emulator.fetch(...request);
    const isList = new Request(...request).method === 'GET';
    if (!isList) return response;
    const { data } = (await response.json()) as { data: unknown[] };
    const headers = { 'content-type': 'application/json', age: '20' };
    return Response.json({ data: data.slice(0, 0) }, { headers });
  };
  const market = world.market.client({ maxRetries: 0, fetch: cached });
  const hourMs = 3_600_000;
  const outbox = await world.outboxWithSale({ market, escalateAfterMs: 24 * hourMs });
  await world.drainFor(outbox);
  expect(world.reported).toEqual([]);
  await world.time.advance(25 * hourMs);
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual([expect.stringMatching(/^pay-1 attention /)]);
});

it('a list that is stale without any sign at both look-ups is believed: the limit of a refusal', async () => {
  world.emulator.faults.orderList.late('1 day');
  const outbox = await world.outboxWithSale({});
  await world.drainFor(outbox);
  expect(world.reported).toEqual([expect.stringMatching(/^pay-1 refused /)]);
  await world.time.advance(2 * 86_400_000);
  expect(await world.market.market.orders.list().toArray()).toHaveLength(1);
});

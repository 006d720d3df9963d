import { describe, expect, it } from 'vitest';
import { intent, ordersQueue, useOutboxWorld } from './support/outbox-world.js';
import { memoryEngine } from './support/open-engines.js';

const hourMs = 3_600_000;

const world = useOutboxWorld({ idempotencyMemory: '1 minute' });

/** The sale was placed, and the service has forgotten its key since. */
async function placeLongAgo(key: string): Promise<void> {
  const order = { ...intent(key).order, external_payment_ref: key };
  await world.market.market.orders.create(order, { idempotencyKey: key });
  await world.time.advance(13 * hourMs);
}

describe('an intent that "recover" adds', () => {
  it('may have been sent long ago: its order is found', async () => {
    await placeLongAgo('pay-1');
    const outbox = world.outboxWith({ recover: () => [intent('pay-1')] });
    await world.drainFor(outbox, 1);
    expect(world.reported).toEqual(['pay-1 placed brew.example']);
    expect(world.requests('POST')).toHaveLength(1);
  });

  it('is not sent again where the domain is listed again', async () => {
    await placeLongAgo('pay-1');
    world.emulator.admin.list({ domain: 'brew.example', price_cents: 250_000 });
    const outbox = world.outboxWith({ recover: () => [intent('pay-1')] });
    await world.drainFor(outbox, 1);
    expect(world.reported).toEqual(['pay-1 placed brew.example']);
    expect(world.requests('POST')).toHaveLength(1);
  });

  it('and was never sent is looked up twice, then placed', async () => {
    const outbox = world.outboxWith({ recover: () => [intent('pay-1')] });
    await world.drainFor(outbox, 1);
    expect(world.reported).toEqual(['pay-1 placed brew.example']);
    expect(world.requests('GET')).toHaveLength(2);
    expect(world.requests('POST')).toHaveLength(1);
  });

  it('and is known already is not looked up', async () => {
    const outbox = await world.outboxWithSale({ recover: () => [intent('pay-1')] });
    await world.drainFor(outbox, 1);
    expect(world.reported).toEqual(['pay-1 placed brew.example']);
    expect(world.requests('GET')).toHaveLength(0);
  });
});

describe('an intent that the service may have forgotten', () => {
  it('is looked up where an earlier version of this package stored it', async () => {
    await placeLongAgo('pay-1');
    const elsewhere = memoryEngine(world.time.options);
    const engine = memoryEngine(world.time.options);
    await world.outboxWith({ engine: elsewhere }).add(intent('pay-1'));
    const found = await (await elsewhere.open(ordersQueue)).find(['pay-1']);
    const { id, orderingKey, createdAt, body = '' } = found.get('pay-1')!;
    const { key, order, addedAt, sha256 } = JSON.parse(body) as Record<string, unknown>;
    const job = { id, orderingKey, createdAt };
    const queue = await engine.open(ordersQueue);
    await queue.enqueue([{ ...job, body: JSON.stringify({ key, order, addedAt, sha256 }) }]);
    const outbox = world.outboxWith({ engine });
    await world.drainFor(outbox, 1);
    expect(world.reported).toEqual(['pay-1 placed brew.example']);
  });

  it('is looked up where its claims were lost with a restored database', async () => {
    const outbox = await world.outboxWithSale();
    await placeLongAgo('pay-1');
    await world.drainFor(outbox, 1);
    expect(world.reported).toEqual(['pay-1 placed brew.example']);
  });
});

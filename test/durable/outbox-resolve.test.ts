import type { FetchLike } from 'market-partner-sdk';
import { fault } from 'market-partner-sdk/testing';
import { describe, expect, it } from 'vitest';
import { intent, useOutboxWorld } from './support/outbox-world.js';
import { gate } from './engine-kit/engine-harness.js';
import type { DurableQueue } from '../../src/durable/queue/engine.js';
import { memoryEngine, withQueues } from './support/open-engines.js';

const world = useOutboxWorld();

/** Two machines on one engine. What the second stores of verdicts waits for its gate. */
async function twoMachines() {
  const engine = memoryEngine(world.time.options);
  const [storing, sending] = [gate(), gate()];
  const waiting = (queue: DurableQueue): Partial<DurableQueue> => ({
    enqueue: async (...jobs) => {
      await storing.opened;
      return queue.enqueue(...jobs);
    },
  });
  let isGated = false;
  const gatedFetch: typeof fetch = async (...request) => {
    if (isGated) await sending.opened;
    return world.emulator.fetch(...request);
  };
  const market = world.market.client({ maxRetries: 0, fetch: gatedFetch });
  const first = world.outboxWith({ engine, market, escalateAfterMs: 1 });
  const second = world.outboxWith({ engine: withQueues(engine, waiting, '-verdicts') });
  await first.add(intent('pay-1'));
  world.emulator.faults.on('POST /orders', fault.resetBeforeWork());
  await world.drainFor(first, 1);
  world.emulator.faults.clear();
  world.reported.length = 0;
  isGated = true;
  return { first, second, storing, sending };
}

describe('two operators', () => {
  it('both see it when one refuses what the retry of the other has placed', async () => {
    const { first, second, storing, sending } = await twoMachines();
    const refusal = second.resolve('pay-1', { refused: 'paid back by hand' });
    const refused = expect(refusal).rejects.toThrow('"pay-1" is no longer in attention');
    await first.resolve('pay-1', 'retry');
    const drained = first.drain({ maxMs: 60_000 });
    await world.time.advance(1_000);
    storing.open();
    await refused;
    sending.open();
    await world.time.advance(60_000);
    await drained;
    await world.drainFor(first, 1);
    expect(world.reported.sort()).toEqual([
      'pay-1 attention ambiguous 1',
      'pay-1 refused resolved operator',
    ]);
    const entry = await first.get('pay-1');
    expect(entry).toMatchObject({
      state: 'attention',
      refusal: { confirmed: 'operator' },
      attention: { candidates: [{ domain: 'brew.example' }] },
    });
    const { public_id: placed } = entry!.attention!.candidates[0]!;
    await expect(first.resolve('pay-1', { placed })).rejects.toThrow(
      'was already reported as refused',
    );
    await expect(first.resolve('pay-1', 'retry')).rejects.toThrow(
      'was already reported as refused',
    );
    await first.resolve('pay-1', { refused: 'the order was cancelled' });
    expect(await first.get('pay-1')).toMatchObject({ state: 'refused' });
  });

  it('get one verdict when both refuse, and the second call says so', async () => {
    const { first, second, storing } = await twoMachines();
    const late = second.resolve('pay-1', { refused: 'paid back by hand' });
    const refused = expect(late).rejects.toThrow('"pay-1" is no longer in attention');
    await first.resolve('pay-1', { refused: 'paid back by hand' });
    storing.open();
    await refused;
    expect(await first.get('pay-1')).toMatchObject({ state: 'refused' });
  });
});

describe('a decision on a verdict whose callback failed', () => {
  it.each<[string, object, object]>([
    ['refused', {}, { refused: 'paid back' }],
    ['placed', { expected_price: 1 }, { placed: 'ord_1' }],
    ['another order', {}, { placed: 'ord_999' }],
  ])('is not taken where it contradicts the verdict: %s', async (_what, order, word) => {
    const fail = () => Promise.reject(new Error('no such column'));
    const outbox = await world.outboxAfterFailures({ onPlaced: fail, onRefused: fail }, order);
    const resolved = outbox.resolve('pay-1', word as { refused: string });
    await expect(resolved).rejects.toThrow('was already reported as');
    expect(await outbox.get('pay-1')).toMatchObject({ state: 'attention' });
  });
});

describe('the order of a decision', () => {
  /** An intent in attention, and an order that the service shows with this domain. */
  async function ambiguousSaleOf(domain: string, stated: string | undefined) {
    const fetch: FetchLike = async (address, init) =>
      address.endsWith('/orders/ord_1')
        ? Response.json({ public_id: 'ord_1', domain: stated, status: 'EXTERNALLY_PAID' })
        : world.emulator.fetch(address, init);
    const market = world.client({ fetch, validateResponses: 'off' });
    const outbox = await world.outboxWithSale({ market, escalateAfterMs: 1 }, { domain });
    world.emulator.faults.on('POST /orders', fault.resetBeforeWork());
    await world.drainFor(outbox, 1);
    return outbox;
  }

  it.each<[string, string | undefined]>([
    ['in Unicode', 'Bücher.example'],
    ['with the dot of the root', 'xn--bcher-kva.example.'],
    ['not at all', undefined],
  ])('may state its domain %s', async (_what, stated) => {
    const outbox = await ambiguousSaleOf('bücher.example', stated);
    await outbox.resolve('pay-1', { placed: 'ord_1' });
    expect(await outbox.get('pay-1')).toMatchObject({
      state: 'placed',
      order: { public_id: 'ord_1' },
    });
  });

  it('may not state another domain', async () => {
    const outbox = await ambiguousSaleOf('bücher.example', 'bucher.example');
    await expect(outbox.resolve('pay-1', { placed: 'ord_1' })).rejects.toThrow(
      'The order ord_1 is for bucher.example, the sale for xn--bcher-kva.example.',
    );
    expect(await outbox.get('pay-1')).toMatchObject({ state: 'attention' });
  });
});

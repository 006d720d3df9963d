import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from 'market-partner-sdk';
import { type OrderOutbox, type OrderOutboxOptions } from 'market-partner-sdk/durable';
import { fault } from 'market-partner-sdk/testing';
import { intent, useOutboxWorld } from './support/outbox-world.js';
import type { DurableQueue } from '../../src/durable/queue/engine.js';
import { memoryEngine, withQueues } from './support/open-engines.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const world = useOutboxWorld();

const from = () => new Date(world.time.nowMs - 2 * hourMs);
const kinds = (findings: readonly { kind: string; idempotencyKey?: string }[]) =>
  findings.map(({ kind, idempotencyKey }) => `${kind} ${idempotencyKey ?? ''}`).sort();

it('an outbox whose sales were placed and refused agrees with the service', async () => {
  const outbox = await world.outboxWithSale({ requote: 'never' });
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
  const outbox = await world.outboxWithSale();
  await world.drainFor(outbox);
  await world.act('refund');
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

describe('a sale that was added three days ago', () => {
  /** The findings of the last day, and how many sales were read for them. */
  async function compareLastDay(outbox: OrderOutbox) {
    await world.time.advance(hourMs);
    const read: number[] = [];
    const comparison = outbox.reconcile(
      { from: world.time.nowMs - dayMs },
      { onProgress: ({ sales }) => read.push(sales) },
    );
    const findings = await comparison.toArray();
    return { found: kinds(findings), summary: comparison.summary, read: read[0] };
  }

  async function addThreeDaysAgo(options: Partial<OrderOutboxOptions> = {}) {
    const outbox = await world.outboxWithSale(options);
    await world.time.advance(3 * dayMs);
    return outbox;
  }

  it('is compared with the order that was placed today', async () => {
    const outbox = await addThreeDaysAgo();
    await world.drainFor(outbox);
    expect(world.reported).toEqual(['pay-1 placed brew.example']);
    const { found, summary } = await compareLastDay(outbox);
    expect(found).toEqual([]);
    expect(summary).toMatchObject({ sales: 1, orders: 1, agreed: 1 });
  });

  it('is compared where the service does not state when it was recorded', async () => {
    const fetch: typeof globalThis.fetch = async (address, init) => {
      const response = await world.emulator.fetch(address, init);
      const text = await response.text();
      return new Response(text.replaceAll('"created_at"', '"hidden"'), response);
    };
    const market = world.client({ fetch, validateResponses: 'off' });
    const outbox = await addThreeDaysAgo({ market });
    await world.drainFor(outbox);
    expect(world.reported).toEqual(['pay-1 placed brew.example']);
    expect((await compareLastDay(outbox)).found).toEqual([]);
  });

  it('explains the order of an attempt whose response was lost', async () => {
    const fetch: typeof globalThis.fetch = async (address, init) => {
      const response = await world.emulator.fetch(address, init);
      if (init?.method !== 'POST') return response;
      world.emulator.faults.on('GET /orders', fault.internalError());
      throw new TypeError('the connection was lost');
    };
    const outbox = await addThreeDaysAgo({ market: world.client({ fetch }), escalateAfterMs: 1 });
    await world.drainFor(outbox, 1);
    world.emulator.faults.clear();
    expect(await outbox.get('pay-1')).toMatchObject({ state: 'attention' });
    expect(await world.orders()).toHaveLength(1);
    expect((await compareLastDay(outbox)).found).toEqual([]);
  });

  it('is not read where its order is older, too', async () => {
    const outbox = await world.outboxWithSale();
    await world.drainFor(outbox);
    await world.time.advance(3 * dayMs);
    expect(await compareLastDay(outbox)).toMatchObject({ found: [], read: 0 });
  });

  it('is not read where it was refused three days ago', async () => {
    const outbox = await world.outboxWithSale({ requote: 'never' }, { expected_price: 1 });
    await world.drainFor(outbox);
    expect(world.reported).toEqual(['pay-1 refused price_mismatch first_attempt']);
    await world.time.advance(3 * dayMs);
    expect(await compareLastDay(outbox)).toMatchObject({ found: [], read: 0 });
  });

  it.each<[string, boolean, string[]]>([
    ['stands', false, ['order_of_a_refused_sale pay-1']],
    ['was taken back', true, []],
  ])('and refused today is compared with its order, which %s', async (_what, isTaken, expected) => {
    const outbox = await addThreeDaysAgo({ escalateAfterMs: 1 });
    world.emulator.faults.on('POST /orders', fault.resetBeforeWork());
    await world.drainFor(outbox, 1);
    world.emulator.faults.clear();
    await outbox.resolve('pay-1', { refused: 'paid back by hand' });
    const { order: input } = intent('pay-1', { external_payment_ref: 'pay-1' });
    const { public_id: id } = await world.client().orders.create(input);
    if (isTaken) world.emulator.admin.refund(id);
    const { found, summary } = await compareLastDay(outbox);
    expect(found).toEqual(expected);
    expect(summary).toMatchObject({ sales: 1, agreed: 1 - expected.length });
  });
});

describe('a sale whose state changes while the outbox is read', () => {
  /** An outbox on an engine that calls `afterList` with each list of intents that was read. */
  function outboxThatIsRead(
    afterList: (outbox: OrderOutbox, lists: number) => Promise<void>,
    options: Partial<OrderOutboxOptions>,
  ): OrderOutbox {
    let lists = 0;
    const noticing = (queue: DurableQueue): Partial<DurableQueue> => ({
      list: async (...request) => {
        const page = await queue.list(...request);
        lists += 1;
        await afterList(outbox, lists);
        return page;
      },
    });
    const engine = withQueues(memoryEngine(world.time.options), noticing, '-orders');
    const outbox = world.outboxWith({ ...options, engine });
    return outbox;
  }

  /** The intent was sent once, an hour ago, without a verdict. */
  async function sendWithoutVerdict(outbox: OrderOutbox): Promise<void> {
    await outbox.add(intent('pay-1'));
    world.emulator.faults.on('POST /orders', fault.resetBeforeWork());
    await world.drainFor(outbox, 1);
    await world.time.advance(hourMs);
  }

  const compare = async (outbox: OrderOutbox) =>
    kinds(await outbox.reconcile({ from: from() }).toArray());

  it('is not missed: its attempt ends after the open ones are read', async () => {
    let isGated = false;
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const fetch: typeof globalThis.fetch = async (address, init) => {
      if (isGated && init?.method === 'POST') await ended;
      return world.emulator.fetch(address, init);
    };
    const outbox = outboxThatIsRead(
      async (read, lists) => {
        if (lists !== 1) return;
        expect(await read.status()).toMatchObject({ placing: 1 });
        end();
        await world.time.advance(1_000);
        expect(await read.status()).toMatchObject({ placing: 0, waiting: 1 });
      },
      { market: world.client({ fetch }) },
    );
    await sendWithoutVerdict(outbox);
    isGated = true;
    const drained = outbox.drain({ maxMs: 60_000 });
    await world.time.advance(1_000);
    expect(await compare(outbox)).toEqual(['missing_at_service pay-1']);
    await world.time.advance(60_000);
    await drained;
  });

  it('is not missed: it is retried after the open ones are read', async () => {
    const outbox = outboxThatIsRead(
      async (read, lists) => {
        if (lists === 1) await read.resolve('pay-1', 'retry');
      },
      { escalateAfterMs: 1 },
    );
    await sendWithoutVerdict(outbox);
    expect(await outbox.status()).toMatchObject({ attention: 1 });
    expect(await compare(outbox)).toEqual(['missing_at_service pay-1']);
    expect(await outbox.status()).toMatchObject({ attention: 0, waiting: 1 });
  });

  it('is read once, as it ended: placed after the open ones are read', async () => {
    const outbox = outboxThatIsRead(async (read, lists) => {
      if (lists !== 1) return;
      world.emulator.faults.clear();
      await world.drainFor(read, 1);
    }, {});
    await sendWithoutVerdict(outbox);
    const comparison = outbox.reconcile({ from: from() });
    expect(await comparison.toArray()).toEqual([]);
    expect(comparison.summary).toMatchObject({ sales: 1, agreed: 1 });
  });
});

it('a finding sends no operator past the outbox, which is at work', async () => {
  const outbox = await world.outboxWithSale();
  await outbox.add(intent('pay-2', { domain: 'tea.example' }));
  world.emulator.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });
  world.emulator.faults.on('POST /orders', fault.resetBeforeWork());
  await world.drainFor(outbox, 1);
  await world.time.advance(hourMs);
  const findings = await outbox.reconcile({ from: from() }).toArray();
  expect(findings.map(({ kind }) => kind).sort()).toEqual(['behind', 'missing_at_service']);
  for (const { nextStep } of findings) {
    expect(nextStep).toContain('an open sale to the outbox');
    expect(nextStep).not.toMatch(/orders\.resume|orders\.create/);
  }
});

it('a wrong window is refused at once', () => {
  const outbox = world.outboxWith();
  expect(() => outbox.reconcile({ from: 'yesterday' })).toThrow(InvalidRequestError);
  expect(() => outbox.reconcile({} as never)).toThrow('"from" is required');
});

import { describe, expect, it } from 'vitest';
import { createEventInbox, type OrderOutbox } from 'market-partner-sdk/durable';
import { recordingLogger } from '../support/recording-logger.js';
import { gate } from './engine-kit/engine-harness.js';
import { memoryEngine } from './support/open-engines.js';
import { intent, useOutboxWorld } from './support/outbox-world.js';

const world = useOutboxWorld();

const never = () => new Promise<never>(() => undefined);
const rowOf = (order: object) => ({
  ...intent('pay-1'),
  order: { ...intent('pay-1').order, ...order },
});

describe('a row of "recover" that is no sale', () => {
  it.each<[string, unknown, string]>([
    ['an amount in text', rowOf({ expected_price: '250000' }), 'pay-1'],
    ['a fraction', rowOf({ expected_price: 2_500.5 }), 'pay-1'],
    ['no key', { order: intent('pay-1').order }, 'row 2'],
    ['a key that is a number', { ...intent('pay-1'), key: 7 }, 'row 2'],
    ['an order as JSON', { key: 'pay-1', order: JSON.stringify(intent('pay-1').order) }, 'pay-1'],
    ['the result of mysql2, unopened', [intent('pay-1')], 'row 2'],
    ['nothing', null, 'row 2'],
  ])('is counted and named: %s', async (_what, row, name) => {
    const { logger, lines } = recordingLogger();
    const recover = () => [intent('pay-9', { domain: 'tea.example' }), row] as never;
    const outbox = world.outboxWith({ recover, logger });
    await world.drainFor(outbox, 2);
    expect(world.reported).toEqual(['pay-9 placed tea.example']);
    expect((await outbox.status()).recover).toEqual({
      error: null,
      refused: 1,
      differing: 0,
      problems: [{ row: name, kind: 'refused', message: expect.any(String) }],
    });
    const errors = lines.filter(({ level }) => level === 'error');
    expect(errors.map(({ fields }) => fields.key)).toEqual([name]);
  });

  it('is no longer counted once it is corrected', async () => {
    let price: unknown = '250000';
    const outbox = world.outboxWith({ recover: () => [rowOf({ expected_price: price })] as never });
    await world.drainFor(outbox, 1);
    expect((await outbox.status()).recover.refused).toBe(1);
    price = 250_000;
    await world.drainFor(outbox, 1);
    expect((await outbox.status()).recover).toMatchObject({ refused: 0, problems: [] });
    expect(world.reported).toEqual(['pay-1 placed brew.example']);
  });

  it('is shown for ten rows at most, and counted for all', async () => {
    const recover = () => Array.from({ length: 25 }, () => null) as never;
    const outbox = world.outboxWith({ recover });
    await world.drainFor(outbox, 1);
    const { refused, problems } = (await outbox.status()).recover;
    expect([refused, problems.length, problems[9]?.row]).toEqual([25, 10, 'row 10']);
  });
});

it('a sale that "recover" yields otherwise than it was added is told apart from one that is lost', async () => {
  const { logger, lines } = recordingLogger();
  const outbox = await world.outboxWithSale(
    { recover: () => [intent('pay-1')], logger },
    { buyer: { email: 'ada@buyer.example' } },
  );
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
  expect((await outbox.status()).recover).toMatchObject({
    error: null,
    refused: 0,
    differing: 1,
    problems: [{ row: 'pay-1', kind: 'differs' }],
  });
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
});

it('a "recover" that gives no row for a minute has failed, and what it gave before is added', async () => {
  const outbox = world.outboxWith({
    async *recover() {
      yield intent('pay-1');
      await never();
    },
  });
  await outbox.start();
  await world.time.advance(59_000);
  expect((await outbox.status()).recover.error).toBeNull();
  await world.time.advance(10_000);
  expect((await outbox.status()).recover.error).toContain('no row for 60000 ms');
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
});

it('a slow "recover" may take longer than a minute', async () => {
  const outbox = world.outboxWith({
    async *recover() {
      for (const key of ['pay-1', 'pay-2', 'pay-3']) {
        await world.time.options.sleep(50_000, new AbortController().signal);
        yield intent(key, { domain: `${key}.example` });
      }
    },
  });
  await outbox.start();
  await world.time.advance(170_000);
  expect((await outbox.status()).recover.error).toBeNull();
  expect(await outbox.get('pay-3')).toBeDefined();
});

it('a "recover" that never returns does not hold up stop()', async () => {
  const outbox = world.outboxWith({
    recover: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }),
  });
  await outbox.start();
  await world.time.advance(1_000);
  await outbox.stop();
  expect(world.time.sleeping).toBe(0);
});

describe('an event', () => {
  const handled: string[] = [];

  async function refundedOrder() {
    handled.length = 0;
    const other = world.outboxWith();
    await other.add(intent('pay-1'));
    await world.drainFor(other, 1);
    await world.act('refund');
    world.reported.length = 0;
  }

  function inboxOf(outbox: OrderOutbox) {
    return createEventInbox({
      market: world.client(),
      engine: memoryEngine(world.time.options),
      outbox,
      startFrom: 'beginning',
      random: () => 0.5,
      logger: false,
      ...world.time.options,
      on: { 'order.refunded': () => handled.push(world.reported.join()) },
    });
  }

  it('is not handled before the first run of "recover" has ended', async () => {
    await refundedOrder();
    const read = gate();
    const outbox = world.outboxWith({
      async *recover() {
        await read.opened;
        yield intent('pay-1');
      },
    });
    const inbox = inboxOf(outbox);
    await outbox.start();
    await inbox.start();
    await world.time.advance(30_000);
    expect(handled).toEqual([]);
    read.open();
    await world.time.advance(120_000);
    expect(handled).toEqual(['pay-1 placed brew.example']);
    await inbox.stop();
  });

  it('waits for as long as "recover" fails', async () => {
    await refundedOrder();
    let isDown = true;
    const outbox = world.outboxWith({
      recover: () => {
        if (isDown) throw new Error('no such table');
        return [intent('pay-1')];
      },
    });
    const inbox = inboxOf(outbox);
    await outbox.start();
    await inbox.start();
    await world.time.advance(60_000);
    world.time.nowMs += 3 * 86_400_000;
    await world.time.advance(60_000);
    expect(handled).toEqual([]);
    expect(await inbox.status()).toMatchObject({ dead: 0, waitingForSale: 1 });
    isDown = false;
    await world.time.advance(120_000);
    expect(handled).toEqual(['pay-1 placed brew.example']);
    await inbox.stop();
  });

  it('is handled by an inbox whose outbox was not started', async () => {
    await refundedOrder();
    const outbox = world.outboxWith({
      recover: () => [intent('pay-2', { domain: 'tea.example' })],
    });
    const inbox = inboxOf(outbox);
    await world.drain(inbox, 10_000);
    expect(handled).toEqual(['']);
    expect(await outbox.get('pay-2')).toMatchObject({ state: 'waiting' });
    await inbox.stop();
  });
});

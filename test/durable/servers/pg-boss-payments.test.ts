import {
  createOrderOutbox,
  type OrderOutbox,
  type OrderOutboxOptions,
} from 'market-partner-sdk/durable';
import { expect, it, onTestFinished } from 'vitest';
import type { EngineUnderTest } from '../engine-kit/index.js';
import { noCallbacks } from '../support/no-callbacks.js';
import { describeOnPgBoss, openMarket } from '../support/on-pg-boss.js';
import { pgBossUnderTest, type PgClient } from '../support/pg-boss-under-test.js';

type Callbacks = Pick<OrderOutboxOptions<PgClient>, 'onPlaced'>;

interface Shop {
  readonly outbox: OrderOutbox<PgClient>;
  readonly pay: (tx: PgClient) => unknown;
  /** The payments that are stored. */
  readonly payments: () => number | Promise<number>;
  /** The keys of the orders that the service has, after all that waits was sent. */
  readonly orderedKeys: () => Promise<(string | undefined)[]>;
}

async function openShop({ onPlaced }: Partial<Callbacks> = {}): Promise<Shop> {
  const underTest: EngineUnderTest<PgClient> = await pgBossUnderTest();
  const { engine, marks } = underTest;
  onTestFinished(async () => {
    await underTest.close();
  });
  const world = await openMarket();
  for (let sale = 1; sale <= 5; sale += 1) {
    world.emulator.admin.list({ domain: `sale-${sale}.example`, price_cents: 100_000 });
  }
  const outbox = createOrderOutbox({
    market: world.market,
    engine,
    ...noCallbacks,
    ...(onPlaced && { onPlaced }),
  });
  onTestFinished(() => outbox.stop({ graceMs: 0 }));
  const orderedKeys = async () => {
    await outbox.drain({ maxMs: 10_000 });
    const orders = await world.market.orders.list().toArray();
    return orders.map(({ external_payment_ref }) => external_payment_ref).sort();
  };
  return { outbox, pay: marks!.write, payments: marks!.count, orderedKeys };
}

const intent = (sale: number) => ({
  key: `payment-${sale}`,
  order: { domain: `sale-${sale}.example`, expected_price: 100_000, currency: 'USD' },
});

describeOnPgBoss('a payment and its intent on PostgreSQL', () => {
  it('of five payments at once, each is stored with its intent, and each has one order', async () => {
    const { outbox, pay, payments, orderedKeys } = await openShop();
    const sales = [1, 2, 3, 4, 5];
    const added = await Promise.all(sales.map((sale) => outbox.add(intent(sale), { write: pay })));
    expect(added).toEqual(sales.map(() => ({ added: true })));
    // A payment that is told twice is written once.
    expect(await outbox.add(intent(1), { write: pay })).toEqual({ added: false });
    expect(await payments()).toBe(5);
    expect(await orderedKeys()).toEqual(sales.map((sale) => intent(sale).key));
  });

  it('a payment that fails, early or late, leaves no intent and harms no other one', async () => {
    const { outbox, pay, payments, orderedKeys } = await openShop();
    const failing = async (tx: PgClient) => {
      await pay(tx);
      await tx.query('select 1 / 0');
    };
    const ends = await Promise.allSettled([
      outbox.add(intent(1), { write: pay }),
      outbox.add(intent(2), { write: failing }),
      outbox.add(intent(3), { write: pay }),
      outbox.add(intent(4), {
        write: () => {
          throw new Error('the card was declined');
        },
      }),
      outbox.add(intent(5), { write: pay }),
    ]);
    expect(ends.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
    ]);
    expect(await payments()).toBe(3);
    expect(await outbox.get('payment-2')).toBeUndefined();
    expect(await orderedKeys()).toEqual(['payment-1', 'payment-3', 'payment-5']);
    // It may be tried again under its key.
    expect(await outbox.add(intent(2), { write: pay })).toEqual({ added: true });
    expect(await payments()).toBe(4);
  });

  it('a write that hides the error of a statement is told, since PostgreSQL rolls it back', async () => {
    const { outbox, pay, payments, orderedKeys } = await openShop();
    const hiding = async (tx: PgClient) => {
      await pay(tx);
      await tx.query('select 1 / 0').catch(() => undefined);
    };
    await expect(outbox.add(intent(1), { write: hiding })).rejects.toMatchObject({
      name: 'DurableStateError',
      message: expect.stringContaining('Nothing was stored') as string,
    });
    expect(await payments()).toBe(0);
    expect(await outbox.get('payment-1')).toBeUndefined();
    expect(await orderedKeys()).toEqual([]);
  });

  it('an add that is not awaited stores both, or neither', async () => {
    const { outbox, pay, payments, orderedKeys } = await openShop();
    const stored = outbox.add(intent(1), { write: pay });
    const refused = outbox.add(intent(2), {
      write: async (tx) => {
        await pay(tx);
        throw new Error('declined');
      },
    });
    refused.catch(() => undefined);
    // The request that began them has ended by now.
    await Promise.allSettled([stored, refused]);
    expect(await payments()).toBe(1);
    expect(await orderedKeys()).toEqual(['payment-1']);
  });

  it('a commit that its callback did not return is stored before the callback is done', async () => {
    const shop = await openShop({
      onPlaced: (_order, _intent, { commit }) => {
        void commit((client) => shop.pay(client));
      },
    });
    const { outbox, payments, orderedKeys } = shop;
    const sales = [1, 2, 3, 4, 5];
    for (const sale of sales) await outbox.add(intent(sale));
    expect(await orderedKeys()).toHaveLength(sales.length);
    expect(await payments()).toBe(sales.length);
  });
});

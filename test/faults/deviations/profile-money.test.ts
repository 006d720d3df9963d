/** What no profile may make of money: a refund that was not done, an amount that was not stated, half a list, another order. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fault } from 'market-partner-sdk/testing';
import type { Profile } from 'market-partner-sdk';
import { memoryEngine, OutboxConflictError, type OrderOutbox } from 'market-partner-sdk/durable';
import { intent, OutboxWorld } from '../../durable/support/outbox-world.js';
import { orders, recorded } from './deviating-service.js';

const profileOf = (keys: Omit<Profile, 'version'>): Profile => ({ version: 1, ...keys });

describe('a list whose place is empty while records lie elsewhere is a failure', () => {
  const items = profileOf({ lists: { items: 'data' } });

  it.each([
    ['beside it', { data: [], orders }],
    ['under camel case', { data: [], content: [{ publicId: 'ord_1', domain: 'a.example' }] }],
    ['deeper', { data: [], result: { page: { orders } } }],
  ])('%s', async (_where, body) => {
    const { market } = recorded(() => body, { profile: items });
    await expect(market.orders.list().toArray()).rejects.toThrow(/"lists\.items" of the profile/);
  });

  it.each([
    ['null', { data: null, orders }],
    ['absent', { orders }],
  ] as const)('which the profile says may be %s', async (form, body) => {
    const profile = profileOf({ lists: { items: 'data', empty: [form] } });
    const { market } = recorded(() => body, { profile });
    await expect(market.orders.list().toArray()).rejects.toThrow(/"lists\.items" of the profile/);
  });
});

describe('amounts', () => {
  const order = { public_id: 'ord_1', domain: 'a.example', status: 'SETTLED' };
  const priceAs = (price: unknown, currency: string, keys: Omit<Profile, 'version'>) => {
    const body = { ...order, price, currency };
    const { market } = recorded(() => body, { profile: profileOf(keys) });
    return market.orders.get('ord_1').then(({ sale_price_cents: cents }) => cents);
  };
  const major = { form: 'text', unit: 'major', suffix: '' } as const;

  it.each([
    ['1.15', 'USD', 115],
    ['2500.10', 'USD', 250_010],
    ['4503599627370495.97', 'USD', undefined],
    ['90071992547409.91', 'USD', 9_007_199_254_740_991],
    ['2500', 'JPY', 2_500],
    ['1.005', 'KWD', 1_005],
    ['1.005', 'USD', undefined],
    ['1e3', 'USD', undefined],
    ['', 'USD', undefined],
  ])('the text %s in %s is %s minor units, or an error', async (text, currency, minor) => {
    const amounts = major;
    const fields = { detail: { sale_price_cents: 'price' } };
    const read = priceAs(text, currency, { amounts, fields });
    if (minor === undefined) await expect(read).rejects.toThrow(/"amounts" of the profile/);
    else expect(await read).toBe(minor);
  });

  it.each([
    [1.15, 115],
    [0.29, 29],
    [2_500.1, 250_010],
  ])('the number %d is scaled by its digits', async (number, minor) => {
    const amounts = { form: 'number', unit: 'major' } as const;
    const fields = { detail: { sale_price_cents: 'price' } };
    expect(await priceAs(number, 'USD', { amounts, fields })).toBe(minor);
  });

  it('the sums beside a list are in minor units, too', async () => {
    const profile = profileOf({ amounts: major });
    const totals = { gmv: '2500.10', commission: '250.01', currency: 'USD' };
    const transactions = recorded(() => ({ transactions: [], totals }), { profile });
    const page = await transactions.market.orders.listTransactions();
    expect(page.totals).toMatchObject({ gmv_cents: 250_010, commission_cents: 25_001 });
    const [usd, jpy] = [totals, { gmv: '2500', currency: 'JPY' }];
    const several = recorded(() => ({ transactions: [], totals: { by_currency: [usd, jpy] } }), {
      profile,
    });
    expect((await several.market.orders.listTransactions()).totals).toMatchObject({
      by_currency: [{ gmv_cents: 250_010 }, { gmv_cents: 2_500 }],
    });
  });

  it.each<[string, object, Profile['amounts'], number | undefined]>([
    ['in major units', { running_balance_cents: 400 }, { form: 'number', unit: 'major' }, 40_000],
    ['as text', { running_balance: '400.50' }, major, 40_050],
    ['in yen', { running_balance: '400', currency: 'JPY' }, major, 400],
    ['that is not stated', {}, major, undefined],
  ])('a running balance %s', async (_form, sums, amounts, expected) => {
    const commissions = [
      { commission_id: 'com_1', currency: 'USD', amount: '5.00' },
      { commission_id: 'com_2', currency: 'USD', amount: '5.00' },
    ];
    const { market } = recorded(() => ({ commissions, ...sums }), {
      profile: profileOf({ amounts: { ...amounts } }),
    });
    expect((await market.referral.listCommissions()).runningBalance).toBe(expected);
  });

  it('a running balance in major units of no known currency is not guessed', async () => {
    const amounts = { form: 'number', unit: 'major' } as const;
    const { market } = recorded(() => ({ commissions: [], running_balance_cents: 400 }), {
      profile: profileOf({ amounts }),
    });
    expect((await market.referral.listCommissions()).runningBalance).toBeUndefined();
  });

  it('a running balance that contradicts the profile is an error that names the key', async () => {
    const body = { commissions: [], running_balance: 400, currency: 'USD' };
    const { market } = recorded(() => body, { profile: profileOf({ amounts: major }) });
    await expect(market.referral.listCommissions()).rejects.toThrow(/"amounts" of the profile/);
  });
});

describe('with an outbox', () => {
  let world: OutboxWorld;
  beforeEach(async () => (world = await OutboxWorld.start()));
  afterEach(() => world.stop());

  const attentionOf = async (outbox: OrderOutbox) => (await outbox.get('pay-1'))?.attention;
  const mapped = profileOf({ statuses: { EXTERNALLY_PAID: 'REFUNDED' } });

  it('a living status that a profile maps to REFUNDED refunds nobody', async () => {
    const market = world.client({ profile: mapped });
    const outbox = world.outboxWith({
      market,
      onRefunded: (_order, { key }) => world.reported.push(`${key} refunded`),
      onNotRefunded: ({ reason }, { key }) => world.reported.push(`${key} ${reason}`),
    });
    await outbox.add(intent('pay-1'));
    await world.drainFor(outbox, 1);
    world.emulator.faults.on('POST /refunds', fault.resetBeforeWork());
    await outbox.refund('pay-1', { reason: 'buyer withdrew' });
    await world.drainFor(outbox, 30);
    expect(world.reported).toEqual(['pay-1 placed brew.example', 'pay-1 attention not_visible 0']);
    const [order] = await world.orders();
    const input = { public_id: order?.public_id ?? '', reason: 'buyer withdrew' };
    const resumed = market.orders.resumeRefund({ input, startedAt: world.time.options.clock() });
    await world.time.advance(10_000);
    expect((await resumed).state).toBe('attention');
  });

  it('books that refused a sale do not agree with an order whose status only the profile calls refunded', async () => {
    const { market } = world.market;
    const input = { domain: 'brew.example', expected_price: 250_000, external_payment_ref: 'p-1' };
    const order = await market.orders.create(input, { idempotencyKey: 'p-1' });
    await world.time.advance(3_600_000);
    const startedAt = order.created_at ?? '';
    const sales = [{ input, idempotencyKey: 'p-1', startedAt, state: 'refused' as const }];
    const from = new Date(world.time.options.clock() - 86_400_000);
    const compared = world.client({ profile: mapped }).orders.reconcile({ sales, from });
    const [found] = await compared.toArray();
    expect(found).toMatchObject({ kind: 'order_of_a_refused_sale' });
    expect(found?.message).toMatch(/"statuses" of the profile.*proves no refund/);
  });

  it.each([
    ['a hundredth', 0.01],
    ['a hundred times', 100],
  ])('an order at %s of the price is named as a unit', async (_what, factor) => {
    const { fetch } = world.emulator;
    const market = world.client({
      fetch: async (...request) => {
        const response = await fetch(...request);
        return Response.json(priced(await response.json(), factor), { status: response.status });
      },
    });
    const outbox = world.outboxWith({ market });
    await outbox.add(intent('pay-1'));
    await world.drainFor(outbox, 1);
    expect(world.reported).toEqual(['pay-1 attention ambiguous 1']);
    const { message } = (await attentionOf(outbox)) ?? {};
    expect(message).toMatch(/as if in another unit \("amounts" of the profile/);
    expect(message).toContain('do not pay the buyer back yet');
    // A look-up, after which a requote would have it placed at a lower price.
    const startedAt = world.time.options.clock() - 20 * 3_600_000;
    const { order: input } = intent('pay-1', { external_payment_ref: 'pay-1' });
    const resumed = await market.orders.resume({ input, idempotencyKey: 'pay-1', startedAt });
    expect(resumed).toMatchObject({
      state: 'attention',
      error: { message: expect.stringMatching(/as if in another unit \("amounts"/) as string },
    });
  });

  it.each([
    ['that was sent', 1],
    ['that was not sent yet', 0],
  ])(
    'once the unit of the price is corrected, the message leads a sale %s to its order',
    async (_which, minutes) => {
      const service = await OutboxWorld.start({
        profile: profileOf({ amounts: { sent: 'major' } }),
      });
      try {
        const engine = memoryEngine(service.time.options);
        const wrong = service.outboxWith({ engine });
        await wrong.add(intent('pay-1'));
        await service.drainFor(wrong, minutes);
        if (minutes > 0) {
          expect(service.reported).toEqual(['pay-1 attention price_unit 0']);
          const { message = '' } = (await attentionOf(wrong)) ?? {};
          expect(message).toContain('"amounts.sent" of the profile');
          expect(message).not.toContain('"retry"');
        }
        await wrong.stop({ graceMs: 0 });
        const market = service.client({ profile: profileOf({ amounts: { sent: 'major' } }) });
        const outbox = service.outboxWith({ engine, market });
        if (minutes > 0) await outbox.resolve('pay-1', 'retry');
        await service.drainFor(outbox, 1);
        const { reason, message = '' } = (await attentionOf(outbox)) ?? {};
        expect(reason).toBe('invalid_input');
        expect(message).toMatch(/profile.*another one than when the sale was added/);
        expect(message).toContain(
          'If the former profile was wrong and no order exists, place the order',
        );
        // What it says.
        expect(await service.orders()).toEqual([]);
        const { order: input } = intent('pay-1', { external_payment_ref: 'pay-1' });
        const order = await market.orders.create(input, { idempotencyKey: 'pay-1.major' });
        await outbox.resolve('pay-1', { placed: order.public_id });
        await service.drainFor(outbox, 1);
        expect(service.reported.at(-1)).toBe('pay-1 placed brew.example');
        expect(await service.orders()).toHaveLength(1);
      } finally {
        await service.stop();
      }
    },
  );

  describe('a profile that changes while a sale is open', () => {
    const changes: [string, Profile | undefined, Profile | undefined][] = [
      ['comes', undefined, profileOf({ amounts: { sent: 'major' } })],
      ['goes', profileOf({ inputs: { order: { add: { accept_terms: true } } } }), undefined],
      [
        'is another',
        profileOf({ inputs: { order: { add: { accept_terms: true } } } }),
        profileOf({ naming: { case: 'camel' } }),
      ],
    ];
    const optionsOf = (profile: Profile | undefined) => (profile === undefined ? {} : { profile });

    it.each(changes)('and %s is named by the outbox, and nothing is sent', async (_how, a, b) => {
      const engine = memoryEngine(world.time.options);
      const before = world.outboxWith({ engine, market: world.client(optionsOf(a)) });
      await before.add(intent('pay-1'));
      await before.stop({ graceMs: 0 });
      const after = world.outboxWith({ engine, market: world.client(optionsOf(b)) });
      await world.drainFor(after, 1);
      const attention = await attentionOf(after);
      expect(attention?.reason).toBe('invalid_input');
      expect(attention?.message).toMatch(/profile.*another one than when the sale was added/);
      expect(attention?.message).not.toContain('stored order was changed');
      expect(world.requests('POST')).toEqual([]);
    });

    it.each(changes)('and %s is no other order for a repeated add', async (_how, a, b) => {
      const engine = memoryEngine(world.time.options);
      const before = world.outboxWith({ engine, market: world.client(optionsOf(a)) });
      await before.add(intent('pay-1'));
      const after = world.outboxWith({ engine, market: world.client(optionsOf(b)) });
      await after.add(intent('pay-1'));
      const other = after.add(intent('pay-1', { expected_price: 1 }));
      await expect(other).rejects.toBeInstanceOf(OutboxConflictError);
    });

    it('but sends the same bytes, holds up no sale', async () => {
      const engine = memoryEngine(world.time.options);
      const before = world.outboxWith({ engine });
      await before.add(intent('pay-1'));
      await before.stop({ graceMs: 0 });
      const profile = profileOf({ errors: { code: 'code' }, lists: { items: 'data' } });
      const after = world.outboxWith({ engine, market: world.client({ profile }) });
      await world.drainFor(after, 1);
      expect(world.reported).toEqual(['pay-1 placed brew.example']);
    });
  });
});

/** The JSON with each price of an order at a multiple of itself. */
function priced(body: unknown, factor: number): unknown {
  return JSON.parse(JSON.stringify(body), (name, value: unknown) =>
    name === 'sale_price_cents' ? Math.round(Number(value) * factor) : value,
  );
}

/** What the errors of orders.create tell a partner to do with the buyer's money: one thing, in each. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MarketClient, OrderInput, ResumeOptions } from 'market-partner-sdk';
import { fault, type MarketEmulator } from 'market-partner-sdk/testing';
import { rejectionOf } from '../../support/errors.js';
import { domain, emulateSale, price } from '../resources/emulated-sale.js';

const idempotencyKey = 'payment-1001';
const requote = "orders.resume(sale, { requote: 'at_most_paid' })";

let emulator: MarketEmulator;
let market: MarketClient;

beforeEach(async () => {
  ({ emulator, market } = await emulateSale(price, { idempotencyMemory: '24 hours' }));
});
afterEach(() => emulator.stop());

const input = (more: Partial<OrderInput> = {}): OrderInput => ({
  domain,
  expected_price: price,
  external_payment_ref: 'pay-1001',
  ...more,
});
const create = (more?: Partial<OrderInput>) =>
  market.orders.create(input(more), { idempotencyKey });
const resume = (options?: ResumeOptions, more?: Partial<OrderInput>) =>
  market.orders.resume(
    { input: input(more), idempotencyKey, startedAt: emulator.clock.now() },
    options,
  );

describe('the advice about an order', () => {
  it('whose response was lost is orders.resume, which finds what a late list does not show', async () => {
    emulator.faults.orderList.late('10 minutes');
    emulator.faults.next(fault.resetAfterWork());
    const error = await rejectionOf(create());
    expect(error).toMatchObject({ outcome: 'unknown', idempotencyKey });
    expect(error.message).toContain(
      'The order may exist. Give the stored sale and its idempotencyKey to orders.resume',
    );
    expect(error.message).not.toContain('orders.list');
    expect(await market.orders.list({ domain }).toArray()).toEqual([]);
    expect(await resume()).toMatchObject({ state: 'placed' });
  });

  it('promises no replay beyond what the service remembers', async () => {
    emulator.faults.next(fault.resetAfterWork());
    const { message } = await rejectionOf(create());
    const [lost] = await market.orders.list({ domain }).toArray();
    emulator.admin.cancel(lost?.public_id ?? '');
    emulator.admin.list({ domain, price_cents: price, floor_price_cents: 1_000 });
    emulator.clock.advance('25 hours');
    // The repeat that the message speaks of places a second order now.
    expect((await create()).public_id).not.toBe(lost?.public_id);
    expect(message).toContain('is safe only until the service forgets it');
  });

  it.each([
    ['refused', { signal: undefined }, 'rejected'],
    ['never sent', { signal: AbortSignal.abort() }, 'not_sent'],
  ])('that was %s names the key and orders.resume', async (_what, options, outcome) => {
    emulator.faults.next(fault.status(403, { body: { code: 'forbidden' } }));
    const error = await rejectionOf(market.orders.create(input(), { idempotencyKey, ...options }));
    expect(error).toMatchObject({ outcome, idempotencyKey });
    expect(error.message).toMatch(
      /An earlier call with this idempotencyKey may have placed the order\. Give the stored sale to orders\.resume\.$/,
    );
    expect(error.message).not.toContain('orders.list');
  });

  it('whose price fell is a requote, which works where a corrected input does not', async () => {
    emulator.admin.reprice(domain, price - 500);
    const refused = await rejectionOf(create());
    expect(refused).toMatchObject({ code: 'price_mismatch', outcome: 'rejected' });
    expect(refused.message).toContain(requote);
    // One instruction, once.
    expect(refused.message).not.toContain('Give the stored sale');
    // The price as read again, under the stored key.
    const conflict = await rejectionOf(create({ expected_price: price - 500 }));
    expect(conflict).toMatchObject({ code: 'conflict' });
    expect(conflict.message).toContain('The idempotencyKey was used before');
    expect(conflict.message).toContain(requote);
    expect(conflict.message).toContain('Do not use a new key');
    expect(conflict.message).not.toContain('needs another key');
    // The refusal is stored under the key: the old price does not help either.
    emulator.admin.reprice(domain, price);
    expect(await rejectionOf(create())).toMatchObject({ code: 'price_mismatch' });
    expect(await resume()).toMatchObject({ state: 'refused' });
    expect(await resume({ requote: 'at_most_paid' })).toMatchObject({ state: 'placed' });
  });

  it('whose quote expired is a requote', async () => {
    const { quote_id } = await market.orders.quote({ domain });
    emulator.clock.advance('11 minutes');
    const refused = await rejectionOf(create({ quote_id }));
    expect(refused).toMatchObject({ code: 'quote_expired' });
    expect(refused.message).toContain(requote);
    expect(refused.message).not.toContain('take a new');
    expect(await resume({ requote: 'at_most_paid' }, { quote_id })).toMatchObject({
      state: 'placed',
    });
  });
});

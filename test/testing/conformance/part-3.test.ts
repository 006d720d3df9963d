import { describe, expect, it } from 'vitest';
import { EmulatorError } from 'market-partner-sdk/testing';
import { freshEmulator } from '../emulator-fixture.js';

const market = freshEmulator();

const eventTypes = () => market.emulator.events.map(({ type }) => type);
const statusOf = async (id: string) => (await market.call(`GET /orders/${id}`)).json.status;
const recorded = async () => (await market.order()).json.public_id;

describe('part 3', () => {
  it('3: "Sale recorded"', async () => {
    expect(await statusOf(await recorded())).toBe('EXTERNALLY_PAID');
    expect(eventTypes()).toEqual(['order.recorded']);
  });

  it('3: "An order can also be held for manual review and can be refunded or cancelled."', async () => {
    market.emulator.admin.holdNextOrder();
    const answer = await market.order('brew.example');
    expect(answer.json.status).toBe('EXTERNALLY_PAID');
    expect(await statusOf(answer.json.public_id)).toBe('MANUAL_REVIEW');
    const second = await market.order('roast.example');
    expect(await statusOf(second.json.public_id)).toBe('EXTERNALLY_PAID');
    market.emulator.admin.hold(second.json.public_id);
    expect(market.emulator.admin.cancel(second.json.public_id).status).toBe('CANCELLED');
    expect(market.emulator.admin.refund(answer.json.public_id).status).toBe('REFUNDED');
    expect(eventTypes()).toEqual([
      'order.recorded',
      'order.recorded',
      'order.refunded',
      'order.refunded',
    ]);
  });

  it('3: "Transfer proceeds. Event order.manual_review_cleared."', async () => {
    market.emulator.admin.holdNextOrder();
    const id = await recorded();
    expect(() => market.emulator.admin.startTransfer(id)).toThrow(EmulatorError);
    market.emulator.admin.clear(id);
    expect(market.emulator.admin.startTransfer(id).status).toBe('TRANSFER_IN_PROGRESS');
    expect(eventTypes()).toEqual([
      'order.recorded',
      'order.manual_review_cleared',
      'order.transfer_started',
    ]);
  });

  it('3: "Admin starts the domain push"', async () => {
    const id = await recorded();
    market.emulator.admin.startTransfer(id);
    expect(await statusOf(id)).toBe('TRANSFER_IN_PROGRESS');
    expect(eventTypes().at(-1)).toBe('order.transfer_started');
  });

  it('3: "Settlement clock starts. Event order.transfer_completed."', async () => {
    const id = await recorded();
    market.emulator.admin.startTransfer(id);
    expect(market.emulator.admin.settle()).toEqual([]);
    market.emulator.admin.completeTransfer(id);
    expect(await statusOf(id)).toBe('TRANSFER_COMPLETED');
    expect(eventTypes().at(-1)).toBe('order.transfer_completed');
    expect(market.emulator.admin.settle()).toHaveLength(1);
  });

  it('3: "Settlement run closes the period"', async () => {
    const id = await recorded();
    const other = (await market.order('roast.example')).json.public_id;
    market.emulator.admin.startTransfer(id);
    market.emulator.admin.completeTransfer(id);
    market.emulator.admin.settle();
    expect(await statusOf(id)).toBe('SETTLED');
    expect(await statusOf(other)).toBe('EXTERNALLY_PAID');
    expect(eventTypes().filter((type) => type === 'order.settled')).toHaveLength(1);
    expect(market.emulator.admin.settle()).toEqual([]);
  });

  it('3: "A refund by the partner is allowed only before TRANSFER_COMPLETED"', async () => {
    const { admin } = market.emulator;
    const refund = (public_id: string) => market.post('/refunds', { public_id });
    const paid = await recorded();
    expect((await refund(paid)).status).toBe(201);
    const moving = await recorded();
    admin.startTransfer(moving);
    expect((await refund(moving)).json).toMatchObject({ public_id: moving, status: 'REFUNDED' });
    const delivered = await market.delivered();
    const refused = await refund(delivered);
    expect(refused.status).toBe(409);
    expect(refused.json.message).toContain('only before TRANSFER_COMPLETED');
    expect(await statusOf(delivered)).toBe('TRANSFER_COMPLETED');
    expect(admin.refund(delivered).status).toBe('REFUNDED');
    expect(eventTypes().filter((type) => type === 'order.refunded')).toHaveLength(3);
  });

  it('3: "A quote holds a firm price for a 10-minute reservation. After that the quote is expired (error quote_expired)."', async () => {
    const quote = (await market.post('/quotes', { domain: 'brew.example' })).json;
    market.emulator.admin.reprice('brew.example', 300_000);
    market.emulator.clock.advance('10 minutes');
    const other = market.as({ partnerId: 'prt_2' });
    const body = { domain: 'brew.example' };
    expect((await other('POST /orders', { body, key: 'theirs' })).status).toBe(404);
    expect((await other('GET /availability?domain=brew.example')).json.available).toBe(false);
    const { json } = await market.order('brew.example', {
      quote_id: quote.quote_id,
      expected_price: 250_000,
    });
    expect(json.sale_price_cents).toBe(250_000);

    const late = (await market.post('/quotes', { domain: 'roast.example' })).json;
    market.emulator.clock.advance('11 minutes');
    const refused = await market.order('roast.example', { quote_id: late.quote_id });
    expect(refused.json.code).toBe('quote_expired');
    expect((await other('GET /availability?domain=roast.example')).json.available).toBe(true);
  });

  it('3: "A hosted checkout link expires 7 days after creation."', async () => {
    const { json } = await market.post('/checkout-session', { domain: 'brew.example' });
    expect(json.expires_at).toBe('2026-11-26T10:00:00.000Z');
    market.emulator.clock.advance('8 days');
    expect(() => market.emulator.admin.payCheckout(json.session_id)).toThrow(/expired/);
  });

  it.each(['hold', 'clear', 'startTransfer', 'completeTransfer', 'refund', 'cancel'] as const)(
    'a move that is not in the table is refused, and nothing is told: %s of a refunded order',
    async (move) => {
      const id = await recorded();
      market.emulator.admin.refund(id);
      const before = eventTypes();
      expect(() => market.emulator.admin[move](id)).toThrow(`order ${id} is REFUNDED`);
      expect(eventTypes()).toEqual(before);
    },
  );

  it('a domain that was sold is for sale again once its order is undone', async () => {
    const pricing = async () => (await market.call('GET /pricing?domain=brew.example')).status;
    const id = await recorded();
    expect(await pricing()).toBe(404);
    expect((await market.order('brew.example')).status).toBe(404);
    market.emulator.admin.cancel(id);
    expect(await pricing()).toBe(200);
  });
});

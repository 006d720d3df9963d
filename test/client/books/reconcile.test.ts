import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InternalServerError, MarketClient, type SaleInBooks } from 'market-partner-sdk';
import { fault, MarketEmulator } from 'market-partner-sdk/testing';

const dayMs = 24 * 3_600_000;
const startMs = Date.parse('2026-11-20T00:00:00Z');

let nowMs: number;
let emulator: MarketEmulator;
let market: MarketClient;

beforeEach(async () => {
  nowMs = startMs;
  emulator = await MarketEmulator.start({ clock: () => nowMs });
  const { keyId, secret } = emulator.createCredential({ scopes: ['buy'] });
  const { baseUrl } = emulator;
  const time = { clock: () => nowMs, sleep: () => Promise.resolve() };
  market = new MarketClient({ baseUrl, keyId, secret, ...time });
});

afterEach(async () => {
  await market.close();
  await emulator.stop();
});

/** A sale of a listed domain, and its order. */
async function sell(domain: string, changes: Partial<SaleInBooks> = {}): Promise<SaleInBooks> {
  const { price_cents: price = 0 } = await market.orders.quote({ domain });
  const key = `payment-${domain}`;
  const input = { domain, expected_price: price, currency: 'USD', external_payment_ref: key };
  const startedAt = new Date(nowMs);
  const order = await market.orders.create(input, { idempotencyKey: key });
  return {
    input,
    idempotencyKey: key,
    startedAt,
    state: 'placed',
    publicId: order.public_id,
    status: order.status,
    ...changes,
  };
}

const from = new Date(startMs - dayMs);

describe('orders.reconcile', () => {
  it('agrees with books that are right, and counts them', async () => {
    const sales = [await sell('brew.example'), await sell('voyage.example')];
    nowMs += dayMs;
    const comparison = market.orders.reconcile({ sales, from });
    expect(await comparison.toArray()).toEqual([]);
    expect(comparison.summary).toMatchObject({ sales: 2, agreed: 2, notCheckable: 0 });
    expect(comparison.summary.from).toBe(from.toISOString());
    expect(comparison.summary.to).toBe(new Date(nowMs - 15 * 60_000).toISOString());
  });

  it('sends nothing but reads', async () => {
    const sales = [
      await sell('brew.example'),
      { ...(await sell('voyage.example')), publicId: 'x' },
    ];
    nowMs += dayMs;
    const before = emulator.requests.length;
    await market.orders.reconcile({ sales, from, settlements: true }).toArray();
    const methods = emulator.requests.slice(before).map(({ method }) => method);
    expect(new Set(methods)).toEqual(new Set(['GET']));
  });

  it('names the next step, the key and the order of a finding', async () => {
    const sale = await sell('brew.example', { state: 'refused' });
    nowMs += dayMs;
    const [finding] = await market.orders.reconcile({ sales: [sale], from }).toArray();
    expect(finding).toMatchObject({
      kind: 'order_of_a_refused_sale',
      idempotencyKey: 'payment-brew.example',
      row: 0,
      publicIds: [sale.publicId],
      order: { public_id: sale.publicId },
    });
    expect(finding?.nextStep).toContain('orders.refund');
  });

  it('reads the books from an async iterable', async () => {
    const sale = await sell('brew.example');
    async function* cursor() {
      yield sale;
    }
    nowMs += dayMs;
    const comparison = market.orders.reconcile({ sales: cursor(), from });
    expect(await comparison.toArray()).toEqual([]);
    expect(comparison.summary.agreed).toBe(1);
  });

  it('looks up a sale without an order once more, as orders arrive while a list is read', async () => {
    const sale = await sell('brew.example');
    const late = { ...sale, startedAt: new Date(startMs - 3_600_000) };
    nowMs += dayMs;
    // Each list by date misses the order; the list of its domain, read later, has it.
    emulator.faults.on('GET /orders', fault.status(200, { body: { data: [] } }), { times: 3 });
    expect(await market.orders.reconcile({ sales: [late], from }).toArray()).toEqual([]);
  });

  it('reports a wrong row with its field and goes on', async () => {
    const sale = await sell('brew.example');
    const wrong = { ...sale, state: 'paid' } as unknown as SaleInBooks;
    const other = await sell('voyage.example', { state: 'open' });
    nowMs += dayMs;
    const found = await market.orders.reconcile({ sales: [wrong, other], from }).toArray();
    expect(found.map(({ kind, row }) => [kind, row])).toEqual([
      ['not_checkable', 0],
      ['behind', 1],
    ]);
    expect(found[0]?.message).toBe(
      'Row 0 of the books is not valid: "state" must be "placed", "refused" or "open".',
    );
  });

  it('rejects with the error of the call after what it found', async () => {
    const sale = await sell('brew.example', { state: 'open' });
    nowMs += 3 * dayMs;
    const kinds: string[] = [];
    const comparison = market.orders.reconcile({ sales: [sale], from }, { maxRetries: 0 });
    const reading = (async () => {
      for await (const { kind } of comparison) {
        kinds.push(kind);
        emulator.faults.on('GET /orders', fault.internalError());
      }
    })();
    await expect(reading).rejects.toBeInstanceOf(InternalServerError);
    expect(kinds).toEqual(['behind']);
    expect(() => comparison.summary).toThrow('has not ended');
  });
});

describe('orders.reconcile with settlements', () => {
  async function delivered(domain: string): Promise<SaleInBooks> {
    const sale = await sell(domain, { status: 'SETTLED' });
    emulator.admin.startTransfer(sale.publicId!);
    emulator.admin.completeTransfer(sale.publicId!);
    return sale;
  }

  it('agrees with a statement whose settled orders add up to it', async () => {
    const sales = [await delivered('brew.example'), await delivered('voyage.example')];
    nowMs += dayMs;
    emulator.admin.settle();
    nowMs += dayMs;
    expect(await market.orders.reconcile({ sales, from, settlements: true }).toArray()).toEqual([]);
  });

  it('reports a statement that its settled orders do not add up to', async () => {
    const sale = await delivered('brew.example');
    nowMs += dayMs;
    const [statement] = emulator.admin.settle();
    nowMs += dayMs;
    const changed = { ...statement, gross_sold_cents: statement!.gross_sold_cents + 1 };
    emulator.faults.on('GET /settlements', fault.status(200, { body: { data: [changed] } }));
    const found = await market.orders
      .reconcile({ sales: [sale], from, settlements: true })
      .toArray();
    expect(found).toMatchObject([{ kind: 'statement_differs', statement: changed }]);
  });

  it('reports a statement without a period as one that it cannot check', async () => {
    emulator.faults.on('GET /settlements', fault.status(200, { body: { data: [{ id: 's' }] } }));
    nowMs += dayMs;
    const found = await market.orders.reconcile({ sales: [], from, settlements: true }).toArray();
    expect(found).toMatchObject([{ kind: 'not_checkable', statement: { id: 's' } }]);
  });
});

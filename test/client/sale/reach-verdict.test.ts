import { expect, it, vi } from 'vitest';
import type { Order } from 'market-partner-sdk';
import { reachVerdict, type SaleToEnd } from '../../../src/client/sale/reach-verdict.js';

const input = { domain: 'brew.example', expected_price: 250_000, external_payment_ref: 'pay-1' };
const order = { public_id: 'ord_1', ...input } as unknown as Order;
const refusal = Object.assign(new Error('refused'), {
  response: { status: 422 },
  code: 'price_mismatch',
  outcome: 'rejected',
});

/** A sale whose look-ups show these lists, one after the other. */
function toEnd(send: () => PromiseLike<unknown>, lists: Order[][], more: Partial<SaleToEnd> = {}) {
  const sleep = vi.fn<(ms: number) => Promise<void>>().mockResolvedValue();
  const readOrders = vi.fn(async () => {
    const items = lists.shift()!;
    return { items, body: { data: items } };
  });
  return {
    input,
    sent: input,
    mayHaveBeenSent: true,
    keyIsOld: false,
    send: vi.fn(send),
    readOrders,
    lookUpDeadlineMs: 1_000,
    nowMs: () => 0,
    sleep,
    ...more,
  };
}

it('finds an order that the list shows late', async () => {
  const run = toEnd(() => Promise.reject(refusal), [[], [order]]);
  expect(await reachVerdict(run)).toMatchObject({ state: 'placed', found: 'looked_up' });
});

const conflict = Object.assign(new Error('conflict'), {
  response: { status: 409 },
  code: 'conflict',
  outcome: 'rejected',
});

it('sends once more after a conflict that a request still at work explains', async () => {
  const answers = [() => Promise.reject(conflict), () => Promise.resolve(order)];
  const run = toEnd(() => answers.shift()!(), [[]]);
  expect(await reachVerdict(run)).toMatchObject({ state: 'placed', found: 'replayed' });
  expect(run.sleep).toHaveBeenCalledExactlyOnceWith(15_000);
});

it('leaves a second conflict to an operator', async () => {
  const run = toEnd(() => Promise.reject(conflict), [[], []]);
  expect(await reachVerdict(run)).toMatchObject({ state: 'attention', reason: 'key_conflict' });
  expect(run.send).toHaveBeenCalledTimes(2);
});

it('reads the list to its end, in the form that it has', async () => {
  const pages = [
    { items: [], body: { orders: [], next_cursor: 'c1' }, nextCursor: 'c1' },
    { items: [order], body: { orders: [order] } },
  ];
  const readOrders = vi.fn<SaleToEnd['readOrders']>(() => Promise.resolve(pages.shift()!));
  const run = toEnd(() => Promise.reject(refusal), [], { readOrders });
  expect(await reachVerdict(run)).toMatchObject({ state: 'placed', found: 'looked_up' });
  expect(readOrders.mock.calls.map(([params]) => params)).toEqual([
    { domain: 'brew.example' },
    { domain: 'brew.example', cursor: 'c1' },
  ]);

  const none = { items: [], body: { orders: [] } };
  const without = toEnd(() => Promise.reject(refusal), [], { readOrders: async () => none });
  expect(await reachVerdict(without)).toMatchObject({ state: 'refused', confirmed: 'looked_up' });
});

it('looks again after a refusal, though it looked before sending', async () => {
  const run = toEnd(() => Promise.reject(refusal), [[], [], [], [order]], { keyIsOld: true });
  expect(await reachVerdict(run)).toMatchObject({ state: 'placed', found: 'looked_up' });
  expect(run.send).toHaveBeenCalledTimes(1);
  expect(run.readOrders).toHaveBeenCalledTimes(4);
});

it('leaves a sale open when the list cannot be read', async () => {
  const down = new Error('down');
  const readOrders = () => Promise.reject(down);
  const run = toEnd(() => Promise.reject(refusal), [], { readOrders });
  expect(await reachVerdict(run)).toMatchObject({ state: 'open', error: down });
});

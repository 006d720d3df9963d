/** Which order is joined to which sale, and what follows where there are several. */

import { describe, expect, it } from 'vitest';
import type { Order, SaleInBooks } from 'market-partner-sdk';
import { OrderList } from '../../faults/books/order-list.js';
import { at, compare, dayMs, fromMs, nowMs, order, sale, type OrderChanges } from './service.js';

const found = async (sales: SaleInBooks[], orders: Order[]) => (await compare(sales, orders)).found;
const refunded = { status: 'REFUNDED' };
const unreferenced = { external_payment_ref: undefined };
const otherReference = { external_payment_ref: 'x' };
const changedReference = { external_payment_ref: 'A' };

describe('one order of a sale', () => {
  it.each<[string, Partial<SaleInBooks>, OrderChanges, string[]]>([
    ['by its reference', {}, {}, []],
    ['by its id, with another reference', { publicId: 'ord_a' }, otherReference, []],
    ['by its id, without a reference', { publicId: 'ord_a' }, unreferenced, []],
    ['by its id and its reference', { publicId: 'ord_a' }, refunded, ['behind a']],
    ['by its reference, with another id than the books have', { publicId: 'ord_b' }, {}, []],
    ['possibly, without a reference', {}, unreferenced, ['not_checkable a']],
    ['possibly, with a changed reference', {}, changedReference, ['not_checkable a']],
    [
      'not, with another reference',
      {},
      otherReference,
      ['unknown_here ord_a', 'missing_at_service a'],
    ],
    [
      'not, at a higher price and without a reference',
      {},
      { ...unreferenced, sale_price_cents: 2_000 },
      ['not_checkable a'],
    ],
  ])('is joined %s', async (_what, saleChanges, orderChanges, expected) => {
    expect(await found([sale('a', saleChanges)], [order('a', orderChanges)])).toEqual(expected);
  });

  it('is not the one of a sale of another domain, though it has its id or reference', async () => {
    const other = sale('b', { publicId: 'ord_a' });
    expect(await found([other], [order('a', { external_payment_ref: 'b' })])).toEqual([
      'unknown_here ord_a',
      'missing_at_service b',
    ]);
  });

  it('is not guessed for a sale that is known by its id alone', async () => {
    const byId = sale('a', {
      publicId: 'ord_1',
      input: { domain: 'a.example', expected_price: 1_000 },
    });
    expect(await found([byId], [order('a')])).toEqual([
      'unknown_here ord_a',
      'missing_at_service a',
    ]);
    const byNothing = sale('a', { input: byId.input });
    expect(await found([byNothing], [order('a')])).toEqual(['not_checkable a']);
  });

  it('of two sales with one reference is nobody’s, and both are told', async () => {
    const twin = sale('a', { idempotencyKey: 'a-2' });
    expect(await found([sale('a'), twin], [order('a')])).toEqual([
      'not_checkable a',
      'not_checkable a-2',
    ]);
  });

  it('that was read in two lists is told once', async () => {
    const list = new OrderList([order('x')]);
    // The lists of the days have it, and the look-up of the domain.
    const missing = sale('a', { input: { ...sale('a').input, domain: 'x.example' } });
    expect((await compare([missing], list)).found).toEqual([
      'unknown_here ord_x',
      'missing_at_service a',
    ]);
  });
});

describe.each<[string, string, string]>([
  ['in Unicode', 'bücher.example', 'bücher.example'],
  ['in Unicode and capitals', 'xn--bcher-kva.example', 'BÜCHER.example'],
  ['with the dot of the root', 'brew.example', 'brew.example.'],
  ['with white space', 'brew.example', ' brew.example '],
])('an order that states the domain %s', (_what, sold, stated) => {
  const paid = (changes: Partial<SaleInBooks> = {}) =>
    sale('a', { ...changes, input: { ...sale('a').input, domain: sold } });

  it.each<[string, Partial<SaleInBooks>, OrderChanges, string[]]>([
    ['joined by its reference', {}, {}, []],
    ['joined by its id', { publicId: 'ord_a' }, unreferenced, []],
    ['possible without a reference', {}, unreferenced, ['not_checkable a']],
    ['that of a refused sale', { state: 'refused' }, {}, ['order_of_a_refused_sale a']],
  ])('is %s', async (_relation, saleChanges, orderChanges, expected) => {
    const shown = order('a', { domain: stated, ...orderChanges });
    expect(await found([paid(saleChanges)], [shown])).toEqual(expected);
  });
});

describe('several orders of a sale', () => {
  const second = (changes: OrderChanges = {}) => order('a', { public_id: 'ord_a2', ...changes });
  const third = (changes: OrderChanges = {}) => order('a', { public_id: 'ord_a3', ...changes });
  const gone = order('a', refunded);
  const cheaper = second({ sale_price_cents: 900 });
  const changed = second(changedReference);
  const named = { publicId: 'ord_a' };
  const misnamed = { publicId: 'ord_b' };

  it.each<[string, Partial<SaleInBooks>, Order[], string[]]>([
    ['two that stand', {}, [order('a'), second()], ['doubled a']],
    ['two that stand, one of them in the books', named, [order('a'), second()], ['doubled a']],
    ['two that stand, neither in the books', misnamed, [order('a'), second()], ['doubled a']],
    ['one refunded, and its successor', {}, [gone, second()], []],
    ['one refunded, and its cheaper successor', {}, [gone, cheaper], ['amount_differs a']],
    ['the successor first', {}, [second(), gone], []],
    ['two refunded', { refundedAt: nowMs }, [gone, second(refunded)], []],
    ['two refunded, unknown to the books', {}, [gone, second(refunded)], ['behind a']],
    ['one refunded, neither in the books', misnamed, [second(refunded)], ['behind a']],
    ['one refunded that the books name, and a successor', named, [gone, second()], []],
    ['one that the books name, and a refunded one', named, [order('a'), second(refunded)], []],
    ['two that stand after one that was refunded', {}, [gone, second(), third()], ['doubled a']],
    ['one with a changed reference', {}, [order('a'), changed], ['not_checkable a']],
    ['a refunded one with a changed reference', {}, [order('a'), { ...changed, ...refunded }], []],
  ])('%s', async (_what, changes, orders, expected) => {
    expect(await found([sale('a', changes)], orders)).toEqual(expected);
  });

  it('are told with every id that stands, and the later order', async () => {
    const { findings } = await compare(
      [sale('a')],
      [order('a'), second(), third(), order('a', { public_id: 'ord_a4', ...refunded })],
    );
    expect(findings).toHaveLength(1);
    const [{ publicIds, message, order: shown } = { publicIds: [], message: '' }] = findings;
    expect([...publicIds].sort()).toEqual(['ord_a', 'ord_a2', 'ord_a3']);
    expect(message).toContain(publicIds.join(', '));
    expect(shown?.public_id).toBe(publicIds.at(-1));
  });

  it('outside of the window are told of nowhere', async () => {
    const sales = [sale('a', { startedAt: fromMs - 1 }), sale('b')];
    expect(await found(sales, [order('a'), second(), order('b')])).toEqual([]);
    expect(await found(sales, [order('a'), changed, order('b')])).toEqual([]);
  });
});

describe('an order without a sale', () => {
  it.each<[string, OrderChanges, string[]]>([
    ['in the first millisecond of the window', { created_at: at(fromMs) }, ['unknown_here ord_x']],
    ['a millisecond before it', { created_at: at(fromMs - 1) }, []],
    ['as old as the grace', { created_at: at(nowMs - 15 * 60_000) }, ['not_checkable']],
    ['a millisecond older', { created_at: at(nowMs - 15 * 60_000 - 1) }, ['unknown_here ord_x']],
  ])('%s', async (_what, changes, expected) => {
    expect(await found([], [order('x', changes)])).toEqual(expected);
  });

  it('is not unknown where a row that cannot be read names it', async () => {
    const wrong = { state: 'paid' } as unknown as Partial<SaleInBooks>;
    const rows = [sale('x', wrong), sale('y', { ...wrong, publicId: 'ord_z' })];
    expect(await found(rows, [order('x'), order('z')])).toEqual([
      'not_checkable x',
      'not_checkable y',
    ]);
  });

  it('cannot be checked where it does not say when it was recorded', async () => {
    const undated = new OrderList([order('x')], [], { hidden: ['created_at'] });
    const { found: kinds } = await compare([], undated);
    expect(kinds).toContain('not_checkable ord_x');
    expect(kinds).not.toContain('unknown_here ord_x');
  });

  it('after the end of the window is nobody’s', async () => {
    const to = nowMs - dayMs;
    const { found: kinds } = await compare([], [order('x', { created_at: at(to) })], { to });
    expect(kinds).toEqual([]);
    const { found: before } = await compare([], [order('x', { created_at: at(to - 1) })], { to });
    expect(before).toEqual(['unknown_here ord_x']);
  });
});

import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { mockMarket } from '../../support/mock-market.js';

const list = { orders: [{ public_id: 'ord_1' }], next_cursor: 'b', totals: { gmv_cents: 5 } };

function marketWithHeaders() {
  const headers = { 'x-internal-host': 'pool-7', 'x-request-id': 'req_1' };
  return mockMarket(() => HttpResponse.json(list, { headers }), { validateResponses: 'off' })
    .market;
}

describe('what a program passes on to a visitor as JSON', () => {
  it('has items and cursor of a page, and nothing else of the response', async () => {
    const page = await marketWithHeaders().orders.list();
    expect(JSON.parse(JSON.stringify(page))).toEqual({
      items: [{ public_id: 'ord_1' }],
      nextCursor: 'b',
    });
    expect(Object.keys(page)).toEqual(['items', 'nextCursor']);
    expect(Object.assign({}, page)).not.toHaveProperty('response');
    expect(page.body).toEqual(list);
    expect(page.response.headers).toMatchObject({ 'x-internal-host': 'pool-7' });
  });

  it('has the sums of a page that has sums', async () => {
    const page = await marketWithHeaders().orders.listTransactions();
    expect(Object.keys(page)).toEqual(['items', 'nextCursor', 'totals']);
  });

  it('has the data of withResponse, without the response', async () => {
    const market = marketWithHeaders();
    const listed = await market.orders.list().withResponse();
    expect(JSON.stringify(listed)).toBe(
      '{"data":{"items":[{"public_id":"ord_1"}],"nextCursor":"b"}}',
    );
    const { data, response } = await market.request({ path: '/things' }).withResponse();
    expect(data).toEqual(list);
    expect(response).toMatchObject({ status: 200, requestId: 'req_1' });
    expect(Object.keys(listed)).toEqual(['data', 'response']);
  });
});
